"""Writes Tests/MartletTokenizersTests/Fixtures: small tokenizers of every kind, with what the original libraries make of many texts.

    pip install tokenizers==0.23.3 sentencepiece==0.2.3 tiktoken==0.14.0
    python3 Oracles/make_tokenizer_fixtures.py
"""

import base64
import json
import pathlib
import random
import struct
import tempfile

import sentencepiece
import tiktoken
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

ROOT = pathlib.Path(__file__).resolve().parent.parent / "Tests/MartletTokenizersTests/Fixtures"
WORDS = (
    "the of and to in is that it was for on are as with his they at be this from have or by one had not but what all were when we there "
    "can an your which their said if do will each about how up out them then she many some so these would other into has more her two "
    "like him see time could no make than first been its who now people my made over did down only way find use may water"
).split()
SPECIAL = ["<unk>", "<s>", "</s>", "[CLS]", "[SEP]", "[PAD]"]
PIECES = [
    " ", "  ", "\n", "\t", "\r\n", "\u3000", "\xa0", "\u2028", "\x00", "\x7f", "e\u0301", "\u0301", "\u0327", "\u1e01", "\uac01",
    "\u1100", "\u1161", "\u11a8", "\ufb01", "\u2460", "\xbd", "\xc5", "\u017f", "\u212a", "\u0130", "\u0131", "\xdf", "\u03a3",
    "\U0001f469\u200d\U0001f467", "\U0001f1eb\U0001f1f7", "\U0001f44d\U0001f3fd", "\ufe0f", "\u6771\u4eac", "\u0645\u0631\u062d\u0628\u0627",
    "\u0928\u092e\u0938\u094d\u0924\u0947", "\u041f\u0440\u0438\u0432\u0435\u0442", "don't", "I'LL", "12345", "6.02e23", "f(x[i])", "==",
    "hello", "World", "one", "<x>", "<s>", "[SEP]", "<0x41>", "\u2581",
]


def text(generator):
    kind = generator.random()
    if kind < 0.3:
        return " ".join(generator.choice(WORDS) for _ in range(generator.randint(1, 8))) + generator.choice(["", ".", "!", " ", "\n"])
    if kind < 0.4:
        data = bytes(generator.randrange(256) for _ in range(generator.randint(1, 16)))
        return data.decode("utf-8", "replace")
    if kind < 0.5:
        codes = (generator.choice([generator.randrange(0x300), generator.randrange(0xD800), generator.randrange(0xE000, 0x110000)]) for _ in range(6))
        return "".join(map(chr, codes))
    return "".join(generator.choice(PIECES + WORDS) for _ in range(generator.randint(1, 10)))


def texts(count, seed):
    generator = random.Random(seed)
    return [""] + [text(generator) for _ in range(count - 1)]


CORPUS = texts(4000, 1)


def byte_offsets(source, pairs):
    places = [0]
    for character in source:
        places.append(places[-1] + len(character.encode()))
    return [[places[first], places[last]] for first, last in pairs]


def record(name, cases):
    (ROOT / f"{name}.cases.json").write_text(json.dumps(cases, ensure_ascii=True, separators=(",", ":")))


def save(name, model, trainer, normalizer=None, pre_tokenizer=None, post_processor=None, decoder=None, added=(), corpus=CORPUS, **lengths):
    tokenizer = Tokenizer(model)
    if normalizer:
        tokenizer.normalizer = normalizer
    if pre_tokenizer:
        tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.train_from_iterator(corpus, trainer)
    tokenizer.add_tokens(list(added))
    if post_processor:
        tokenizer.post_processor = post_processor
    if decoder:
        tokenizer.decoder = decoder
    for function, arguments in lengths.items():
        getattr(tokenizer, function)(**arguments)
    (ROOT / f"{name}.json").write_text(json.dumps(json.loads(tokenizer.to_str()), ensure_ascii=True, separators=(",", ":")))
    tokenizer = Tokenizer.from_file(str(ROOT / f"{name}.json"))
    cases = []
    for source in texts(300, 2):
        encoding = tokenizer.encode(source)
        tokenizer.encode_special_tokens = True
        plain = tokenizer.encode(source, add_special_tokens=False).ids
        tokenizer.encode_special_tokens = False
        case = {"text": source, "ids": encoding.ids, "plain": plain, "offsets": byte_offsets(source, encoding.offsets)}
        if encoding.ids or name != "clip":
            case["decoded"] = tokenizer.decode(encoding.ids)
            case["whole"] = tokenizer.decode(encoding.ids, skip_special_tokens=False)
        cases.append(case)
    record(name, cases)


def overflow():
    """What rules for length cut off, for single texts and pairs."""
    cases = []
    for name in ("bert", "roberta", "words"):
        for length, stride, direction, strategy in [
            (9, 0, "right", "longest_first"), (9, 3, "right", "longest_first"), (9, 2, "left", "longest_first"), (10, 1, "right", "only_first"),
            (12, 4, "left", "only_second"), (30, 5, "right", "longest_first"),
        ]:
            tokenizer = Tokenizer.from_file(str(ROOT / f"{name}.json"))
            tokenizer.no_padding()
            tokenizer.enable_truncation(length, stride=stride, strategy=strategy, direction=direction)
            if stride == 3:
                tokenizer.enable_padding(pad_id=5, direction="left")
            rules = json.loads(tokenizer.to_str())
            for source, second in zip(texts(8, 3)[1:], [None, *texts(7, 4)[1:]]):
                if strategy == "only_second" and second is None:
                    continue
                source, second = " ".join([source] * 3), second and " ".join([second] * 3)
                try:
                    encoding = tokenizer.encode(source, second)
                except BaseException:  # Texts that are too short to be cut, and strides that leave nothing.
                    continue
                parts = [
                    {"ids": e.ids, "types": e.type_ids, "special": e.special_tokens_mask, "attended": e.attention_mask}
                    for e in [encoding, *encoding.overflowing]
                ]
                case = {"tokenizer": name, "truncation": rules["truncation"], "padding": rules["padding"], "text": source, "parts": parts}
                cases.append(case | ({"second": second} if second else {}))
    record("overflow", cases)


def byte_pairs(size=700, **arguments):
    return trainers.BpeTrainer(vocab_size=size, special_tokens=SPECIAL, show_progress=False, **arguments)


def template():
    return processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 3), ("[SEP]", 4)])


def hugging_face():
    added = [
        AddedToken("hello", normalized=True), AddedToken("<x>", lstrip=True, rstrip=True, normalized=False),
        AddedToken("one", single_word=True, normalized=True), AddedToken("World", single_word=True, normalized=False, rstrip=True),
    ]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    save(
        "gpt2", models.BPE(), byte_pairs(initial_alphabet=alphabet), normalizers.NFC(), pre_tokenizers.ByteLevel(add_prefix_space=True),
        processors.ByteLevel(trim_offsets=True), decoders.ByteLevel(), added)
    save(
        "roberta", models.BPE(), byte_pairs(initial_alphabet=alphabet), None, pre_tokenizers.ByteLevel(add_prefix_space=False),
        processors.RobertaProcessing(("</s>", 2), ("<s>", 1)), decoders.ByteLevel(), added,
        enable_truncation={"max_length": 12}, enable_padding={"length": 8, "pad_id": 5})
    pattern = (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N}))| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]+"
        r"|\s+(?!\S)|\s+")
    save(
        "pattern", models.BPE(ignore_merges=True), byte_pairs(initial_alphabet=alphabet), None,
        pre_tokenizers.Sequence([
            pre_tokenizers.Split(Regex(r"[\p{Han}\p{Hiragana}]+"), "isolated"), pre_tokenizers.Split(Regex(pattern), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]),
        None, decoders.ByteLevel())
    save(
        "llama", models.BPE(byte_fallback=True, fuse_unk=True, unk_token="<unk>"),
        trainers.BpeTrainer(
            vocab_size=900, special_tokens=SPECIAL + [f"<0x{byte:02X}>" for byte in range(256)], show_progress=False, limit_alphabet=100),
        normalizers.Sequence([normalizers.Prepend("\u2581"), normalizers.Replace(" ", "\u2581")]), None, template(),
        decoders.Sequence([decoders.Replace("\u2581", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]), added)
    save(
        "clip", models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"), byte_pairs(end_of_word_suffix="</w>", limit_alphabet=100),
        normalizers.Sequence([normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Lowercase()]),
        pre_tokenizers.Split(Regex(r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"), "removed", True), None,
        decoders.BPEDecoder("</w>"), added)
    word_piece = trainers.WordPieceTrainer(vocab_size=700, special_tokens=SPECIAL + ["[UNK]"], show_progress=False, limit_alphabet=150)
    save(
        "bert", models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=12), word_piece, normalizers.BertNormalizer(),
        pre_tokenizers.BertPreTokenizer(), processors.BertProcessing(("[SEP]", 4), ("[CLS]", 3)), decoders.WordPiece(), added)
    plain = ["".join(c for c in source if ord(c) < 0x180) for source in CORPUS]
    save(
        "t5", models.Unigram(), trainers.UnigramTrainer(vocab_size=600, special_tokens=SPECIAL, unk_token="<unk>", show_progress=False),
        normalizers.Sequence([normalizers.Nmt(), normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " "), normalizers.Strip()]),
        pre_tokenizers.Metaspace(prepend_scheme="first"), template(), decoders.Metaspace(), added, corpus=plain)
    save(
        "words", models.WordLevel(unk_token="<unk>"), trainers.WordLevelTrainer(vocab_size=500, special_tokens=SPECIAL, show_progress=False),
        normalizers.Sequence([normalizers.NFKD(), normalizers.StripAccents(), normalizers.Lowercase()]),
        pre_tokenizers.Sequence([
            pre_tokenizers.UnicodeScripts(), pre_tokenizers.Split("e", "merged_with_next"),
            pre_tokenizers.Split(Regex(r"\s"), "merged_with_previous"), pre_tokenizers.Digits(True), pre_tokenizers.Punctuation("contiguous")]),
        None, None, added)


def sentence_piece():
    clean = [source.replace("\n", " ").replace("\0", "") for source in CORPUS if source.strip()]
    kinds = {
        "sp_unigram": dict(model_type="unigram", byte_fallback=True, user_defined_symbols=["<x>", "one", "  "]),
        "sp_bpe": dict(model_type="bpe", user_defined_symbols=["<x>", "they"], control_symbols=["<ctl>"]),
        "sp_identity": dict(
            model_type="bpe", byte_fallback=True, normalization_rule_name="identity", remove_extra_whitespaces=False, split_digits=True),
    }
    # A few rules instead of the large tables that are built in.
    rules = pathlib.Path(tempfile.mkdtemp()) / "rules.tsv"
    rules.write_text("3000\t20\n9\t20\nA0\t20\nFB01\t66 69\n2460\t31\n65 301\tE9\nBD\t31 2044 32\n1B\t\n")
    for name, arguments in kinds.items():
        if "normalization_rule_name" not in arguments:
            arguments["normalization_rule_tsv"] = str(rules)
        with open(ROOT / f"{name}.model", "wb") as file:
            sentencepiece.SentencePieceTrainer.train(
                sentence_iterator=iter(clean), model_writer=file, vocab_size=1500, character_coverage=0.98, hard_vocab_limit=False,
                minloglevel=2, num_threads=1, max_sentence_length=100000, **arguments)
        model = sentencepiece.SentencePieceProcessor(model_file=str(ROOT / f"{name}.model"))
        sources = [source.replace("\0", "") for source in texts(300, 3)]
        record(name, [{"text": source, "plain": model.encode(source), "decoded": model.decode(model.encode(source))} for source in sources])


def ranks():
    tokens = {bytes([byte]): byte for byte in range(256)}
    for word in WORDS:
        for spelling in (word, " " + word):
            for end in range(2, len(spelling) + 1):
                tokens.setdefault(spelling[:end].encode(), len(tokens))
    pattern = r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"""
    special = {"<|end|>": len(tokens), "<s>": len(tokens) + 1}
    lines = [f"{base64.b64encode(token).decode()} {rank}\n" for token, rank in tokens.items()]
    (ROOT / "ranks.tiktoken").write_text("".join(lines))
    encoding = tiktoken.Encoding("ranks", pat_str=pattern, mergeable_ranks=tokens, special_tokens=special)
    cases = []
    for source in texts(300, 4):
        source += "<|end|>" if len(source) % 3 == 0 else ""
        ids = encoding.encode(source, allowed_special="all")
        plain = encoding.encode_ordinary(source)
        cases.append({"text": source, "ids": ids, "plain": plain, "whole": encoding.decode(ids)})
    record("ranks", cases)
    vocab = [{"rank": rank, "token_bytes": base64.b64encode(token).decode(), "token_str": None} for token, rank in tokens.items()]
    tekken = {
        "config": {"pattern": pattern, "num_vocab_tokens": len(tokens), "default_vocab_size": len(tokens) + 20, "default_num_special_tokens": 20},
        "vocab": vocab}
    (ROOT / "tekken.json").write_text(json.dumps(tekken, separators=(",", ":")))
    record("tekken", [{"text": case["text"], "plain": [rank + 20 for rank in case["plain"]]} for case in cases])


def llama_binary():
    """The model of `sp_identity`-like pieces as llama2.c writes it, by hand: scores that fall with the ids."""
    tokens = [b"<unk>", b"<s>", b"</s>"] + [b"<0x%02X>" % byte for byte in range(256)] + [b" "]
    for word in WORDS[:40]:
        for spelling in (word, " " + word):
            for end in range(1, len(spelling) + 1):
                if spelling[:end].encode() not in tokens:
                    tokens.append(spelling[:end].encode())
    data = struct.pack("<iiii", len(tokens), 1, 2, max(map(len, tokens)))
    for number, token in enumerate(tokens):
        data += struct.pack("<fi", -float(number), len(token)) + token
    (ROOT / "llama2c.bin").write_bytes(data)
    numbers = {token: number for number, token in reversed(list(enumerate(tokens)))}
    cases = []
    for source in texts(300, 5):
        # The rule in its plainest form: merge the pair whose whole has the highest score until there is none.
        parts = []
        for character in " " + source if source else "":
            encoded = character.encode()
            parts += [numbers[encoded]] if encoded in numbers else [byte + 3 for byte in encoded]
        while True:
            wholes = [numbers.get(tokens[a] + tokens[b], len(tokens)) for a, b in zip(parts, parts[1:])]
            if not wholes or min(wholes) == len(tokens):
                break
            place = wholes.index(min(wholes))
            parts[place : place + 2] = [wholes[place]]
        cases.append({"text": source, "plain": parts, "decoded": source})
    record("llama2c", cases)


if __name__ == "__main__":
    ROOT.mkdir(parents=True, exist_ok=True)
    hugging_face()
    overflow()
    sentence_piece()
    ranks()
    llama_binary()
