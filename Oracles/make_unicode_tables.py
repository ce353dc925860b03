"""Writes Sources/MartletTokenizers/Unicode/UnicodeTables.swift.

Regular expressions of tokenizers follow Unicode 16; what `tokenizers` does with characters follows the versions of the crates that it is
built from, which are older or newer. The second kind is asked of `tokenizers` itself, character by character.

    pip install tokenizers==0.23.3 unicodedata2==16.0.0 regex==2026.11.19
    python3 Oracles/make_unicode_tables.py
"""

import base64
import pathlib
import unicodedata

import regex
import unicodedata2
from tokenizers import normalizers, pre_tokenizers

CATEGORIES = ("Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Co Cn Cs").split()
SCALARS = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
category = {c: unicodedata2.category(c) for c in SCALARS}


def varint(value):
    result = bytearray()
    while value >= 0x80:
        result.append(value & 0x7F | 0x80)
        value >>= 7
    result.append(value)
    return bytes(result)


def runs(values):
    """Runs of equal numbers over all code points: a length and the number each."""
    result, start = bytearray(), 0
    for code in range(1, 0x110001):
        if code == 0x110000 or values[code] != values[start]:
            result += varint(code - start) + varint(values[start])
            start = code
    return bytes(result)


def members(chars):
    """Lengths of stretches of code points, in turn outside of the set and inside."""
    inside = bytearray(0x110001)
    for c in chars:
        inside[ord(c)] = 1
    result, start, state = bytearray(), 0, 0
    for code in range(0x110001):
        if inside[code] != state:
            result += varint(code - start)
            start, state = code, inside[code]
    return bytes(result)


def mapping(table):
    """Distance to the code point before, length of what it becomes, and that."""
    result, last = bytearray(), 0
    for c in sorted(table):
        result += varint(ord(c) - last) + varint(len(table[c]))
        last = ord(c)
        for other in table[c]:
            result += varint(ord(other))
    return bytes(result)


def normalized(normalizer):
    return {c: normalizer.normalize_str(c) for c in SCALARS}


def isolated(pre_tokenizer, wanted):
    return {c for c in SCALARS if len(pre_tokenizer.pre_tokenize_str("a" + c + "b")) == wanted}


def combining_classes(nfd):
    """Canonical combining classes as far as `tokenizers` knows them: characters that move before one of a higher class."""
    result = {}
    for c in SCALARS:
        value = unicodedata2.combining(c)
        if value == 0:
            continue
        other = "\u0345" if value < 240 else "\u0301"
        text = other + c if value < 240 else c + other
        if nfd.normalize_str("a" + text) == "a" + text[::-1]:
            result[c] = chr(value)
    return result


def compositions(nfd):
    """Characters that canonical composition makes, with the two that they are made of."""
    nfc, result = normalizers.NFC(), {}
    for c in SCALARS:
        parts = unicodedata2.decomposition(c).split()
        if len(parts) == 2 and nfd.normalize_str(c) != c and nfc.normalize_str(c) == c:
            result[c] = "".join(chr(int(part, 16)) for part in parts)
    return result


def orbits(lowercase):
    """Other characters that are equal apart from case, by simple folding."""
    group = {}

    def join(a, b):
        first, second = group.setdefault(a, {a}), group.setdefault(b, {b})
        if first is not second:
            first |= second
            for c in second:
                group[c] = first

    for c in SCALARS:
        if c in "\u0130\u0131" or category[c] == "Cn":
            continue
        for other in (lowercase.get(c, c), c.upper(), c.casefold()):
            if len(other) == 1 and other != c and category[other] != "Cn":
                join(c, other)
    join("\u1fd3", "\u0390")
    join("\u1fe3", "\u03b0")
    join("\ufb05", "\ufb06")
    return {c: "".join(sorted(others - {c})) for c, others in group.items()}


def scripts():
    names, values = ["Unknown"], [0] * 0x110000
    text = "".join(SCALARS)
    known = (
        "Common Inherited Adlam Ahom Anatolian_Hieroglyphs Arabic Armenian Avestan Balinese Bamum Bassa_Vah Batak Bengali Bhaiksuki "
        "Bopomofo Brahmi Braille Buginese Buhid Canadian_Aboriginal Carian Caucasian_Albanian Chakma Cham Cherokee Chorasmian Coptic "
        "Cuneiform Cypriot Cypro_Minoan Cyrillic Deseret Devanagari Dives_Akuru Dogra Duployan Egyptian_Hieroglyphs Elbasan Elymaic "
        "Ethiopic Garay Georgian Glagolitic Gothic Grantha Greek Gujarati Gunjala_Gondi Gurmukhi Gurung_Khema Han Hangul "
        "Hanifi_Rohingya Hanunoo Hatran Hebrew Hiragana Imperial_Aramaic Inscriptional_Pahlavi Inscriptional_Parthian Javanese Kaithi "
        "Kannada Katakana Kawi Kayah_Li Kharoshthi Khitan_Small_Script Khmer Khojki Khudawadi Kirat_Rai Lao Latin Lepcha Limbu Linear_A "
        "Linear_B Lisu Lycian Lydian Mahajani Makasar Malayalam Mandaic Manichaean Marchen Masaram_Gondi Medefaidrin Meetei_Mayek "
        "Mende_Kikakui Meroitic_Cursive Meroitic_Hieroglyphs Miao Modi Mongolian Mro Multani Myanmar Nabataean Nag_Mundari Nandinagari "
        "New_Tai_Lue Newa Nko Nushu Nyiakeng_Puachue_Hmong Ogham Ol_Chiki Ol_Onal Old_Hungarian Old_Italic Old_North_Arabian Old_Permic "
        "Old_Persian Old_Sogdian Old_South_Arabian Old_Turkic Old_Uyghur Oriya Osage Osmanya Pahawh_Hmong Palmyrene Pau_Cin_Hau "
        "Phags_Pa Phoenician Psalter_Pahlavi Rejang Runic Samaritan Saurashtra Sharada Shavian Siddham SignWriting Sinhala Sogdian "
        "Sora_Sompeng Soyombo Sundanese Sunuwar Syloti_Nagri Syriac Tagalog Tagbanwa Tai_Le Tai_Tham Tai_Viet Takri Tamil Tangsa Tangut "
        "Telugu Thaana Thai Tibetan Tifinagh Tirhuta Todhri Toto Tulu_Tigalari Ugaritic Vai Vithkuqi Wancho Warang_Citi Yezidi Yi "
        "Zanabazar_Square").split()
    for name in known:
        names.append(name)
        for c in regex.findall(r"\p{Script=%s}" % name, text):
            if category[c] != "Cn":
                values[ord(c)] = len(names) - 1
    return names, values


def script_pieces():
    """The scripts of the pre-tokenizer `UnicodeScripts`, numbered; 0 for characters that end no stretch."""
    splitter, numbers, values, samples = pre_tokenizers.UnicodeScripts(), {}, [0] * 0x110000, []

    def joined(a, b):
        return len(splitter.pre_tokenize_str(a + b)) == 1

    for c in SCALARS:
        # A character of no script joins two that differ from each other.
        if joined("a", c) and joined("\u0430", c):
            continue
        number = next((n for n, sample in samples if joined(sample, c)), None)
        if number is None:
            number = len(samples) + 1
            samples.append((number, c))
        else:
            samples.sort(key=lambda pair: pair[0] != number)
        values[ord(c)] = number
    return values


def literal(name, comment, data):
    text = base64.b64encode(data).decode()
    lines = "\\\n    ".join(text[i : i + 128] for i in range(0, len(text), 128))
    return f'  /// {comment}\n  static let {name}: StaticString = """\n    {lines}\n    """\n'


def main():
    nfd, nfkd = normalizers.NFD(), normalizers.NFKD()
    canonical = {c: text for c, text in normalized(nfd).items() if text != c and not 0xAC00 <= ord(c) < 0xD7A4}
    compatible = {c: text for c, text in normalized(nfkd).items() if text != c and not 0xAC00 <= ord(c) < 0xD7A4}
    compatible = {c: text for c, text in compatible.items() if canonical.get(c) != text}
    lowercase = {c: text for c, text in normalized(normalizers.Lowercase()).items() if text != c}
    plain = dict(clean_text=False, handle_chinese_chars=False, strip_accents=False, lowercase=False)
    cleaned = normalized(normalizers.BertNormalizer(**{**plain, "clean_text": True}))
    unaccented = normalized(normalizers.BertNormalizer(**{**plain, "strip_accents": True}))
    marks = normalized(normalizers.StripAccents())
    alphabetic = {c for c in regex.findall(r"\p{Alphabetic}", "".join(SCALARS)) if category[c] != "Cn"}
    categories = [CATEGORIES.index("Cs")] * 0x110000
    for c in SCALARS:
        categories[ord(c)] = CATEGORIES.index(category[c])
    names, script_values = scripts()
    tables = [
        ("categories", "General categories of Unicode 16, by their numbers in `GeneralCategory`: runs.", runs(categories)),
        ("scripts", "Scripts of Unicode 16, by their numbers in `scriptNames`: runs.", runs(script_values)),
        ("alphabetic", "Characters with the property Alphabetic in Unicode 16: a set.", members(alphabetic)),
        ("caseOrbits", "The other characters that are equal but for case, by simple folding: a mapping.", mapping(orbits(lowercase))),
        ("lowercase", "Full lowercase mappings: a mapping.", mapping(lowercase)),
        ("numeric", "Characters of the general categories N: a set.", members(isolated(pre_tokenizers.Digits(True), 3))),
        ("punctuation", "Punctuation: a set.", members(isolated(pre_tokenizers.Punctuation(), 3))),
        ("removedByCleaning", "Characters that the normaliser of BERT removes: a set.", members(c for c in SCALARS if cleaned[c] == "")),
        ("nonspacingMarks", "Marks that the normaliser of BERT removes: a set.", members(c for c in SCALARS if unaccented[c] == "")),
        ("combiningMarks", "Marks that `StripAccents` removes: a set.", members(c for c in SCALARS if marks[c] == "")),
        ("canonicalDecompositions", "Full canonical decompositions but those of Hangul: a mapping.", mapping(canonical)),
        ("compatibilityDecompositions", "Full compatibility decompositions that differ: a mapping.", mapping(compatible)),
        ("compositions", "Characters that composition makes, with their parts: a mapping.", mapping(compositions(nfd))),
        ("combiningClasses", "Canonical combining classes above 0: a mapping.", mapping(combining_classes(nfd))),
        ("scriptPieces", "Scripts between which `UnicodeScripts` splits: runs.", runs(script_pieces())),
    ]
    text = "// Written by Oracles/make_unicode_tables.py.\n\n"
    text += "/// Properties of characters, in the forms that `UnicodeTableReader` reads.\nenum UnicodeTables {\n"
    text += "\n".join(literal(*table) for table in tables)
    lines, line = [], "   "
    for name in names:
        if len(line) + len(name) > 130:
            lines.append(line)
            line = "   "
        line += f' "{name}",'
    lines.append(line)
    text += "\n  static let scriptNames = [\n" + "\n".join(lines) + "\n  ]\n}\n"
    root = pathlib.Path(__file__).resolve().parent.parent
    (root / "Sources/MartletTokenizers/Unicode/UnicodeTables.swift").write_text(text)


main()
