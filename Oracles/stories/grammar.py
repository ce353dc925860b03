"""Writes simple children's stories from a grammar of our own: the text that the story model learns from.

A template is English with three kinds of mark: [one|other] chooses, {word} asks the story (who, where, what), <list> takes a word of a list.
^ makes the next letter a capital and ~ before a quotation mark keeps the one after it small.
"""

import random
import re

from stories.frames import CLOSINGS, INTERLUDES, MORALS, OPENINGS
from stories.plots_of_days import PLOTS as PLOTS_OF_DAYS
from stories.plots_of_people import LONELY
from stories.plots_of_people import PLOTS as PLOTS_OF_PEOPLE
from stories.plots_of_trouble import NEWCOMER
from stories.plots_of_trouble import PLOTS as PLOTS_OF_TROUBLE
from stories.words import BOYS, CAST, ENDINGS, GIRLS, HOMES, LISTS, PETS, PLACES, STUFF, SYLLABLES, THINGS, TRAITS

PLOTS = PLOTS_OF_PEOPLE + PLOTS_OF_TROUBLE + PLOTS_OF_DAYS  # the first one is that of a star
MEETINGS = [LONELY, NEWCOMER]  # hero and friend meet for the first time
WORDS = {name: text.split("|") for name, text in LISTS.items()}
KINDS = []
for entry in CAST.replace("\n", ";").split(";"):
    if entry.strip():
        kind, rest = entry.split(":")
        pronouns, habitat = rest.split()
        KINDS.append((kind.strip(), pronouns, habitat))
PEOPLE = {"girl", "boy", "little girl", "little boy", "child"}
PRONOUNS = {"m": ("he", "him", "his", "himself"), "f": ("she", "her", "her", "herself"), "n": ("it", "it", "its", "itself")}
ELDERS = [("mother", "f"), ("father", "m"), ("grandmother", "f"), ("grandfather", "m"), ("aunt", "f"), ("uncle", "m"), ("big sister", "f"), ("big brother", "m")]


class Someone:
    """A character: a kind, perhaps a name, a pronoun and a trait."""

    def __init__(self, rng, avoid=(), habitat=None, named=None):
        choices = [k for k in KINDS if k[0] not in avoid and (habitat is None or k[2] == habitat)]
        self.kind, pronouns, self.habitat = rng.choice(choices)
        if rng.random() < 0.22 and not habitat and "girl" not in avoid:
            self.kind, pronouns, self.habitat = rng.choice(KINDS[:5])
        chance = rng.random()
        if chance < 0.18:
            self.kind, pronouns, self.habitat = rng.choice(THINGS).replace("-", " "), "mfn", habitat or rng.choice(sorted(PLACES))
        elif chance < 0.26 and self.kind not in PEOPLE:
            self.kind = f"{rng.choice(STUFF)} {self.kind}" if " " not in self.kind else self.kind
        self.gender = rng.choice(pronouns)
        self.trait = rng.choice(TRAITS)
        self.named = rng.random() < (0.75 if named is None else named)
        self.name = self.invent(rng)

    def invent(self, rng):
        if rng.random() < 0.25:
            return rng.choice(SYLLABLES) + rng.choice(ENDINGS)
        if self.kind in PEOPLE:
            return rng.choice(GIRLS if self.gender == "f" else BOYS)
        human = GIRLS if self.gender == "f" else BOYS
        return rng.choice(PETS if rng.random() < 0.6 else human)


class Story:
    """One story: its people, its things, and the text so far."""

    def __init__(self, seed):
        self.rng = rng = random.Random(seed)
        self.hero = Someone(rng)
        same = rng.random() < 0.4
        avoid = {self.hero.kind, "girl" if self.hero.kind in PEOPLE else ""}
        self.friend = Someone(rng, avoid, self.hero.habitat if same and self.hero.habitat != "sky" else None)
        while self.friend.name == self.hero.name or self.friend.kind == self.hero.kind:
            self.friend = Someone(rng, avoid)
        self.third = Someone(rng, avoid | {self.friend.kind}, named=0.3)
        while self.third.name in (self.hero.name, self.friend.name):
            self.third = Someone(rng, avoid | {self.friend.kind}, named=0.3)
        self.elder, self.elder_gender = rng.choice(ELDERS)
        self.fixed = {}
        self.introduced = set()
        self.by_name = set()  # those of whom only the name has been said
        self.places = rng.sample(PLACES[self.hero.habitat], 4)

    def reference(self, someone):
        if someone is not self.hero and someone not in self.introduced:
            self.introduced.add(someone)
            friend = f"{PRONOUNS[self.hero.gender][2]} friend" if someone is self.friend else "the old"
            if someone.named:
                if someone is self.friend and self.rng.random() < 0.4:
                    self.by_name.add(someone)
                    return f"{friend} {someone.name}"
                return f"{someone.name} the {someone.kind}"
            return self.rng.choice([f"{friend} the {someone.kind}".replace("old the", "old"), f"the {someone.kind}", f"the {someone.trait} {someone.kind}"])
        if someone in self.by_name:
            return someone.name
        if someone.named and self.rng.random() < 0.9:
            return someone.name
        if self.rng.random() < 0.06:
            return f"the {someone.trait} {someone.kind}"
        return f"the {someone.kind}"

    def slot(self, word):
        h, f, t = self.hero, self.friend, self.third
        he, him, his, himself = PRONOUNS[h.gender]
        fhe, fhim, fhis, fself = PRONOUNS[f.gender]
        the, thim, this, _ = PRONOUNS[t.gender]
        ehe, ehim, ehis, _ = PRONOUNS[self.elder_gender]
        plain = {
            "he": he, "him": him, "his": his, "himself": himself, "fhe": fhe, "fhim": fhim, "fhis": fhis, "fself": fself,
            "the": the, "thim": thim, "this": this, "ehe": ehe, "ehim": ehim, "ehis": ehis,
            "kind": h.kind, "fkind": f.kind, "tkind": t.kind, "trait": h.trait, "ftrait": f.trait, "ttrait": t.trait, "elder": self.elder,
            "P1": self.places[0], "P2": self.places[1], "P3": self.places[2], "P4": self.places[3],
            "name": h.name, "fname": f.name, "tname": t.name,
        }
        if word == "fname":
            self.introduced.add(f)
            if not f.named:
                return f"the {f.kind}"
        if word in plain:
            return plain[word]
        if word in ("He_", "His_"):
            return "^" + plain[word[:-1].lower()]
        if word == "a_fkind":
            return f"a {f.kind}"
        if word == "Hn":  # the hero's name, where the opening did not give it
            return f"^{his} name was {h.name}." if h.named else ""
        if word == "H":
            return self.reference(h)
        if word == "Hk":
            return f"{h.name} the {h.kind}" if h.named else f"the {h.kind}"
        if word == "F":
            return self.reference(f)
        if word == "T":
            return self.reference(t)
        if word == "E":
            return self.rng.choice([f"{his} {self.elder}"] * 2 + [f"{h.name}'s {self.elder}" if h.named else f"{his} {self.elder}"])
        if word == "call":  # how others address the hero
            return h.name if h.named else f"little {h.kind.removeprefix('little ')}" if h.kind not in PEOPLE else "my dear"
        if word == "fcall":
            return f.name if f.named else f"dear {f.kind.removeprefix('little ')}"
        if word == "home":
            return self.keep("home", HOMES[h.habitat])
        if word == "aH":  # introduces the hero
            return f"a {h.trait} {h.kind}" + (self.rng.choice([f" named {h.name}", f" called {h.name}", f" whose name was {h.name}"]) if h.named else "")
        if word == "aF":
            return self.introduce(f)
        if word == "aT":
            return self.introduce(t)
        if word[0] == "=":  # a word of a list, the same throughout the story
            return self.keep(word, WORDS[word[1:].rstrip("0123456789")])
        raise KeyError(word)

    def introduce(self, someone):
        if someone in self.introduced:
            return self.reference(someone)
        self.introduced.add(someone)
        trait = f"{someone.trait} " if self.rng.random() < 0.6 else ""
        if someone.named:
            return self.rng.choice([f"a {trait}{someone.kind} named {someone.name}", f"{someone.name} the {someone.kind}", f"a {trait}{someone.kind} called {someone.name}"])
        return f"a {trait}{someone.kind}"

    def keep(self, key, choices):
        if key not in self.fixed:
            self.fixed[key] = self.rng.choice(choices)
        return self.fixed[key]

    def expand(self, template):
        """The template's text: inner choices first, then words, from left to right."""
        text = template
        while match := re.search(r"\[([^\[\]]*)\]", text):
            text = text[: match.start()] + self.rng.choice(match.group(1).split("|")) + text[match.end():]
        return re.sub(r"<(\w+)>|\{([^{}]+)\}", lambda m: self.rng.choice(WORDS[m.group(1)]) if m.group(1) else self.slot(m.group(2)), text)

    def paragraph(self, templates):
        return polish(" ".join("^" + self.expand(t) for t in templates if t))

    def write(self):
        rng = self.rng
        kind = rng.random()
        plots = rng.sample(PLOTS[self.hero.kind == "star":], 2 if kind < 0.15 else 1)
        strangers = plots[0] in MEETINGS  # the friend is not yet known
        parts = [[rng.choice([o for o in OPENINGS if not (strangers and re.search("aF|fname", o))])]]
        if rng.random() < 0.45:
            parts[0].append(rng.choice([a for a in INTERLUDES["about"] if not (strangers and "{aF}" in a)]))
        for number, plot in enumerate(plots):
            paragraph = []
            for step_number, step in enumerate(plot):
                paragraph.append(rng.choice(step) if isinstance(step, list) else step)
                if rng.random() < 0.10 and 0 < step_number < len(plot) - 1:
                    paragraph.append(rng.choice(INTERLUDES["during"]))
                if rng.random() < 0.3 and len(paragraph) > 1:
                    parts.append(paragraph)
                    paragraph = []
            if number + 1 < len(plots):
                paragraph.append(rng.choice(INTERLUDES["between"]))
            parts.append(paragraph)
        end = []
        if rng.random() < 0.6:
            end.append(rng.choice(CLOSINGS))
        if rng.random() < 0.35:
            end.append(rng.choice(MORALS))
        if rng.random() < 0.12:
            end.append("The end.")
        if end:
            parts.append(end) if rng.random() < 0.5 else parts[-1].extend(end)
        self.hero.named = self.hero.named or "{name}" in parts[0][0]
        first = self.paragraph(parts[0][:1])
        self.hero.named = self.hero.named and self.hero.name in first
        parts[0] = parts[0][1:]
        rest = [self.paragraph(p) for p in parts]
        return "\n\n".join(filter(None, [f"{first} {rest[0]}".strip(), *rest[1:]]))


def polish(text):
    """Articles, capitals and spaces."""
    text = re.sub(r"\s+", " ", text).strip()
    text = re.sub(r" ([,.!?])", r"\1", text)
    text = re.sub(r"\b([Aa]) (?=[aeiouAEIOU])(?!(?:unicorn|one|useful|Uni|U[a-z]))", r"\1n ", text)
    text = re.sub(r"\b([Aa]) (?=honest|hour)", r"\1n ", text)
    text = re.sub(r"\bi\b", "I", text).replace('^"', '"')
    text = re.sub(r"(^|[.!?] |\.\" |\^|(?<!~)(?:(?<= )|^)\")([a-z])", lambda m: m.group(1) + m.group(2).upper(), text)
    return text.replace("^", "").replace("~", "")


def story(seed):
    return Story(seed).write()

