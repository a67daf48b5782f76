#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes manual pages and completions out of what the command tells of itself: command_pages.py BUILD/cowarp OUT_FOLDER DATE

`cowarp help` names the commands, `cowarp help COMMAND` the options of each, and `cowarp list --json` what NAME may be. OUT_FOLDER gets man1/*.1.gz,
cowarp.bash, _cowarp (zsh) and cowarp.fish."""
import gzip
import json
import pathlib
import re
import subprocess
import sys
from typing import NamedTuple

ROW = re.compile(r"  cowarp (\S+) +(\S.*)")
OPTION = re.compile(r"  (?:-\w(?: [A-Z]\S*)?, )?(--[\w-]+)(?:[ =](\S+))?(?: (\.\.\.))?(?:  +(\S.*))?$")
FILES = re.compile(r"FILE|FOLDER|PAGE|\.json|\.ptx")
# Options whose value is a name of a section of `cowarp list --json`, and commands whose word is one.
SECTIONS = {"--system": "systems", "--preset": "presets", "--persistency": "persistency", "--mech": "mechanisms", "--control": "controls", "--unit": "units"}
WORDS = {"run": "workloads", "crash": "workloads", "sweep": "workloads", "advise": "workloads", "unit": "units", "proofs": "units", "synth": "units"}
CHOICES = re.compile(r"[\w-]+(?:\|[\w-]+)+")


class Option(NamedTuple):
    name: str
    value: str  # "" for a flag
    what: str


class Command(NamedTuple):
    name: str
    usage: str
    what: str
    options: list
    notes: str


def told(cowarp, *words):
    done = subprocess.run([cowarp, *words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"command_pages: {cowarp} {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


def options_of(lines):
    """The options, and the lines that belong to none."""
    found, rest = [], []
    for line in lines:
        match = OPTION.match(line)
        if match and match[1] != "--help":
            found.append(Option(match[1], match[2] or "", match[4] or ""))
        elif match:
            found.append(Option("--help", "", "tell the options"))
        elif found and re.match(r" {12,}\S", line):  # goes on from the line before
            found[-1] = found[-1]._replace(what=f"{found[-1].what} {line.strip()}".strip())
        else:
            rest.append(line)
    return list(dict((option.name, option) for option in found).values()), rest


def command_of(cowarp, name, what):
    lines = told(cowarp, "help", name).splitlines()
    options, rest = options_of(lines)
    text = "\n".join(rest)
    usage = re.sub(r"\s+", " ", re.match(r"(?:usage: )?cowarp \S+ ?((?:.|\n {6,})*)", text)[1])
    notes = re.split(r"\n\n", text, maxsplit=1)[1] if "\n\n" in text else ""
    notes = re.sub(r"(?m)^(Options( of the machine and the run)?|options:|positional arguments:)$\n?", "", notes).strip("\n")
    if not any(option.name == "--help" for option in options):
        options.append(Option("--help", "", "tell the options"))
    return Command(name, usage, what, options, notes)


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"(?m)^([.'])", r"\\&\1", text)


def page(title, date, version, name, what, body):
    return (f'.\\" SPDX-License-Identifier: Apache-2.0\n.TH {title} 1 {date} "cowarp {version}" "cowarp"\n.SH NAME\n{roff(name)} \\- {roff(what)}\n' + body)


def command_page(command, date, version):
    body = f".SH SYNOPSIS\n.B cowarp {roff(command.name)}\n{roff(command.usage)}\n.SH DESCRIPTION\n{roff(command.what)}.\n.SH OPTIONS\n"
    for option in command.options:
        body += f".TP\n.BR {roff(option.name)} {roff(chr(34) + ' ' + option.value + chr(34)) if option.value else ''}\n{roff(option.what) or '.'}\n".replace(" \n", "\n")
    if command.notes:
        body += f".SH NOTES\n.nf\n{roff(command.notes)}\n.fi\n"
    return page(f"COWARP\\-{command.name.upper()}".replace("-", "\\-").replace("\\\\", "\\"), date, version, f"cowarp-{command.name}", command.what, body + ".SH SEE ALSO\n.BR cowarp (1)\n")


def main_page(commands, date, version):
    body = (".SH SYNOPSIS\n.B cowarp\n.I COMMAND\n[\\fIOPTIONS\\fR]\n.SH DESCRIPTION\ncowarp runs PTX kernels on a cycle\\-level GPU whose hardware units are C "
            "models or Verilog.\n.SH COMMANDS\n")
    for command in commands:
        body += f".TP\n.BR cowarp\\-{roff(command.name)} (1)\n{roff(command.what)}.\n"
    body += (".SH EXIT STATUS\n.TP\n.B 0\ndone and correct\n.TP\n.B 1\nthe run or a check failed\n.TP\n.B 2\nthe request was wrong\n.TP\n.B 130\ninterrupted\n"
             ".SH ENVIRONMENT\n.TP\n.B COWARP_HOME\nfolder with what comes with cowarp, instead of the one above the command\n.TP\n.B COWARP_CACHE\n"
             "folder for RTL that was built and for finished runs (default ~/.cache/cowarp)\n")
    return page("COWARP", date, version, "cowarp", "GPU co-simulator with hardware units in Verilog", body)


def values(option, names):
    """What its value may be: a list of words, or None where it is a file, a number or a flag."""
    if option.name in SECTIONS:
        return names[SECTIONS[option.name]]
    return option.value.split("|") if CHOICES.fullmatch(option.value) else None


def bash(commands, names):
    text = ("# SPDX-License-Identifier: Apache-2.0\n# Made by scripts/command_pages.py.\n_cowarp()\n{\n    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=\n"
            "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
            f"        COMPREPLY=($(compgen -W '{' '.join(c.name for c in commands)} help version' -- \"$word\"))\n        return\n    fi\n"
            "    case \"${COMP_WORDS[1]}:$before\" in\n")
    for command in commands:
        for option in command.options:
            found = values(option, names)
            if found:
                text += f"    {command.name}:{option.name}) words='{' '.join(found)}' ;;\n"
            elif option.value:
                text += f"    {command.name}:{option.name}) COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n"
    text += "    help:*) words='--all " + " ".join(c.name for c in commands) + "' ;;\n    *)\n        case \"${COMP_WORDS[1]}\" in\n"
    for command in commands:
        words = [option.name for option in command.options] + names.get(WORDS.get(command.name, ""), [])
        text += f"        {command.name}) words='{' '.join(words)}' ;;\n"
    return text + ("        esac ;;\n    esac\n    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
                   "    [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- \"$word\"))\n}\ncomplete -o filenames -F _cowarp cowarp\n")


def quoted(text):
    return text.replace("'", "'\\''")


def bracketed(text):
    return quoted(re.sub(r"([\[\]:\\])", r"\\\1", text))


def zsh(commands, names):
    text = "#compdef cowarp\n# SPDX-License-Identifier: Apache-2.0\n# Made by scripts/command_pages.py.\nlocal -a commands\ncommands=(\n"
    text += "".join(f"    '{bracketed(c.name)}:{bracketed(c.what)}'\n" for c in commands) + "    'help:Tells the options of a command'\n)\n"
    text += "if (( CURRENT == 2 )); then\n    _describe command commands\n    return\nfi\nlocal command=$words[2]\nshift words\n(( CURRENT-- ))\ncase $command in\n"
    for command in commands:
        text += f"{command.name})\n    _arguments -S \\\n"
        for option in command.options:
            found = values(option, names)
            action = f":{bracketed(option.value.lower())}:({' '.join(found)})" if found else f":{bracketed(option.value.lower())}:_files" if option.value else ""
            text += f"        '*{option.name}[{bracketed(option.what)}]{action}' \\\n"
        found = names.get(WORDS.get(command.name, ""))
        text += f"        '*:word:{'(' + ' '.join(found) + ')' if found else '_files'}' ;;\n"
    return text + "help) _describe command commands ;;\nesac\n"


def fish(commands, names):
    text = "# SPDX-License-Identifier: Apache-2.0\n# Made by scripts/command_pages.py.\n"
    for command in commands:
        text += f"complete -c cowarp -n __fish_use_subcommand -f -a {command.name} -d '{fished(command.what)}'\n"
        here = f"complete -c cowarp -n '__fish_seen_subcommand_from {command.name}'"
        for option in command.options:
            found = values(option, names)
            takes = f" -x -a '{' '.join(found)}'" if found else " -r" if option.value else ""
            text += f"{here} -l {option.name[2:]}{takes} -d '{fished(option.what)}'\n"
        found = names.get(WORDS.get(command.name, ""))
        text += f"{here} -a '{' '.join(found)}'\n" if found else ""
    return text


def fished(text):
    return text.replace("\\", "\\\\").replace("'", "\\'")


def main():
    cowarp, out, date = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    rows = [match.groups() for match in map(ROW.match, told(cowarp, "help").splitlines()) if match]
    commands = [command_of(cowarp, name, what) for name, what in rows if name not in ("help", "version")]
    listed = json.loads(told(cowarp, "list", "--json"))
    names = {section: [entry["name"] for entry in rows] for section, rows in listed.items()}
    version = told(cowarp, "--version").split()[1]
    (out / "man1").mkdir(parents=True, exist_ok=True)
    pages = {"cowarp": main_page(commands, date, version), **{f"cowarp-{command.name}": command_page(command, date, version) for command in commands}}
    for name, text in pages.items():
        (out / f"man1/{name}.1.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
    for name, make in (("cowarp.bash", bash), ("_cowarp", zsh), ("cowarp.fish", fish)):
        (out / name).write_text(make(commands, names))


if __name__ == "__main__":
    main()
