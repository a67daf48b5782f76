# SPDX-License-Identifier: Apache-2.0
"""The words of a command line as all sub-commands take them: options in full, and one line for what is wrong, as harness/cli has it."""
import argparse
import difflib
import re

# What argparse says, and what the command says in its place.
KINDS = {"int": "is not a whole number", "float": "is not a number"}


def folded(word):
    return word.lstrip("-").lower().replace("-", "_")


def near(word, known):
    """The name that was probably meant, or None. Blind to case, and to - for _. A name that the word begins comes first, if it is the only one."""
    names = {folded(name): name for name in known}
    longer = [name for name in names if len(word) > 2 and name.startswith(folded(word))]
    found = longer if len(longer) == 1 else difflib.get_close_matches(folded(word), names, 1)
    return names[found[0]] if found else None


def hint(word, known, otherwise):
    """What to do about a word that is not among the known ones."""
    name = near(word, known)
    return otherwise if name is None else f"did you mean '{name}'?"


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line. An option is written in full: the beginning of one may be another one of 'cowarp run'."""

    def __init__(self, *, see=None, **about):
        super().__init__(allow_abbrev=False, **about)
        program, _, command = self.prog.partition(" ")
        self.see = see or f"see '{program} help {command}'"

    def parse_args(self, args=None, namespace=None):
        options, rest = self.parse_known_args(args, namespace)
        if rest:
            name = rest[0].partition("=")[0]
            self.stop(f"unknown option '{name}'; {hint(name, self._option_string_actions, self.see)}" if name.startswith("-") else f"takes no '{rest[0]}'; {self.see}")
        return options

    def plain(self, message):
        """A message of argparse in the command's words."""
        for pattern, ours in ((r"argument (\S+): invalid (\w+) value: ('.*')$", lambda m: f"{m[1]} {m[3]}: {KINDS.get(m[2], 'is not ' + m[2])}"),
                              (r"argument (\S+): expected (?:one|at least one) argument$", lambda m: f"{m[1]} needs a value"),
                              (r"argument (\S+): ignored explicit argument ('.*')$", lambda m: f"{m[1]} takes no value, and has {m[2]}"),
                              (r"argument (\S+): invalid choice: ('.*') \(choose from (.*)\)$", lambda m: f"{m[1]} {m[2]}: is none of {m[3]}"),
                              (r"the following arguments are required: (.*)$", lambda m: f"needs {m[1]}")):
            if found := re.match(pattern, message, re.DOTALL):
                return ours(found)
        return message

    def stop(self, text):
        self.exit(2, f"{self.prog}: {text}\n")

    def error(self, message):
        self.stop(f"{self.plain(message)}; {self.see}")
