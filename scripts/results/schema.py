# SPDX-License-Identifier: Apache-2.0
"""What JSON files look like, and a reader that says of another one which file and which member is wrong.

A shape is a type or a tuple of types; Maybe(shape), where null will do; Each(shape), an object with any names; a list of one shape; a dict of members,
of which those with a ? behind their names may be absent. Further members are nobody's concern."""
import json
import pathlib
import sys

NUMBER = (int, float)
WORDS = {dict: "an object", list: "a list", str: "a text", bool: "true or false", int: "a whole number", float: "a number", type(None): "null"}


class BadJson(Exception):
    """One line: which file, which member, what is wrong."""


class Maybe:
    def __init__(self, shape):
        self.shape = shape


class Each:
    def __init__(self, shape):
        self.shape = shape


COUNTER = {"value": NUMBER, "unit": str, "definition": str, "of?": str, "part_of?": str}
LAUNCH = {"kernel": str, "grid": [int], "block": [int], "dynamic_shared_bytes": int, "args": [str], "times": int}
SIMULATOR = {"version": str, "commit": str, "dirty?": Maybe(bool), "sources?": str, "compiler?": str, "sha256": Maybe(str)}
MANIFEST = {"repeat": Maybe([str]), "command?": Maybe([str]), "directory?": Maybe(str), "simulator": SIMULATOR, "params": Each(int),
            "config_changed": Each({"value": (int, str), "preset": (int, str)}),
            "files": [{"role": str, "path": str, "bytes": int, "sha256": Maybe(str)}], "launches": [LAUNCH], "launches_left_out": int}
# What `--stats` writes. The members without a ? have always been there.
STATS = {"version": str, "workload": Maybe(str), "variant?": Maybe(str), "system": str, "persistency?": str, "mechanisms?": [str], "control?": str,
         "preset": str, "seed": int, "check?": Maybe(str), "error?": Maybe(str), "report?": Maybe(str), "cycles": int, "simulated_us?": NUMBER,
         "host_seconds?": NUMBER, "manifest?": MANIFEST, "estimate?": Each(NUMBER), "phases?": [{"name": str, "cycles": int, "simulated_us": NUMBER}],
         "units?": Each(str), "config": Each((int, str)), "counting?": [str],
         "waits?": [{"kernel": str, "line?": int, "cause": str, "at?": str, "cycles": int}], "counters": Each(COUNTER),
         "derived?": Each({"value": Maybe(NUMBER), "unit": str, "definition": str})}
# What a store keeps of a run: these, or of one that has failed before there were any its check and the reason.
KEPT = {name.removesuffix("?") + "?": shape for name, shape in STATS.items()} | {"check": Maybe(str)}
# What an experiment leaves (experiments/results.py).
RESULT = {"name": str, "quick?": bool, "seeds?": [int], "claims": [dict], "tables?": [dict]}
# `cowarp list --json`, as far as scripts read it.
LISTED = {"workloads": [{"name": str, "params": [{"name": str}]}]}


def _named(where, name):
    return f"{where}.{name}" if where else str(name)


def _kind(value):
    return WORDS.get(type(value), type(value).__name__)


def _wanted(shape):
    return " or ".join(dict.fromkeys(WORDS[kind] for kind in (shape if isinstance(shape, tuple) else (shape,)) if kind is not float or int not in shape))


def _bad_type(value, shape):
    kinds = shape if isinstance(shape, tuple) else (shape,)
    return (isinstance(value, bool) and bool not in kinds) or not isinstance(value, kinds)


def _members(value, shape, where):
    if not isinstance(value, dict):
        return f"{where or 'the file'} is {_kind(value)}, and should be an object"
    for name, part in shape.items():
        plain = name.removesuffix("?")
        if plain not in value and plain == name:
            return f"has no member '{_named(where, plain)}'"
        problem = problem_of(value[plain], part, _named(where, plain)) if plain in value else None
        if problem:
            return problem
    return None


def problem_of(value, shape, where=""):
    """What is wrong with the value, in words that follow a file's name; None: nothing."""
    if isinstance(shape, Maybe):
        return None if value is None else problem_of(value, shape.shape, where)
    if isinstance(shape, dict):
        return _members(value, shape, where)
    if isinstance(shape, Each):
        if not isinstance(value, dict):
            return f"{where} is {_kind(value)}, and should be an object"
        return next((problem for name, part in value.items() if (problem := problem_of(part, shape.shape, _named(where, name)))), None)
    if isinstance(shape, list):
        if not isinstance(value, list):
            return f"{where} is {_kind(value)}, and should be a list"
        return next((problem for i, part in enumerate(value) if (problem := problem_of(part, shape[0], f"{where}[{i}]"))), None)
    return f"{where or 'the file'} is {_kind(value)}, and should be {_wanted(shape)}" if _bad_type(value, shape) else None


def _no_constant(name):
    raise ValueError(f"{name} is no number")


def parsed(text, shape, name, hint, nan=False):
    """The JSON text; raises BadJson. name: of the file or the program that it is from. hint: what to do. nan: NaN is a number, too."""
    try:
        value = json.loads(text, parse_constant=float if nan else _no_constant)
    except (ValueError, RecursionError):
        raise BadJson(f"{name}: is no JSON; {hint}") from None
    problem = problem_of(value, shape)
    if problem:
        raise BadJson(f"{name}: {problem}; {hint}")
    return value


def load(path, shape, hint, nan=False):
    """The same of a file; `-` is standard input."""
    try:
        text = sys.stdin.buffer.read() if str(path) == "-" else pathlib.Path(path).read_bytes()
    except OSError as error:
        raise BadJson(f"{path}: {error.strerror}") from None
    return parsed(text, shape, path, hint, nan)
