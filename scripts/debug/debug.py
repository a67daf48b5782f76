#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cowarp debug: stops a run anywhere, steps through it forward and back, shows its warps, registers and memory.

Exit status: that of the run when it has come to its end, 0 when one has quit, 1 when a script's command was wrong, 2 for a wrong request."""
import argparse
import contextlib
import os
import pathlib
import subprocess
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parents[1] / "results")]

import command_words  # noqa: E402  (after the path is set)
from engine import SUBCOMMANDS, Ended, Engine, Wrong  # noqa: E402  (after the path is set)
from prompt import HELP, Prompt  # noqa: E402


class Parser(command_words.Parser):
    def stop(self, text):
        self.exit(2, f"cowarp: debug: {text}\n")


def read_arguments():
    parser = Parser(prog="cowarp debug", description=__doc__.split("\n\n", 1)[0], epilog=HELP, formatter_class=argparse.RawDescriptionHelpFormatter,
                    usage="cowarp debug [OPTIONS] run|exec|cuda ... (the command line of that sub-command)")
    parser.add_argument("-x", metavar="FILE", dest="script", action="append", default=[], help="commands from a file, before the prompt; - is standard input")
    parser.add_argument("--at", metavar="CYCLE", type=int, help="go to that cycle first, as GTKWave's cursor shows it (cowarp.core_cycle)")
    parser.add_argument("--batch", action="store_true", help="no prompt behind -x FILE")
    parser.add_argument("--keep-going", action="store_true", help="a command of a file that is wrong does not end it")
    parser.add_argument("--json", action="store_true", help="answers as lines of JSON, for programs")
    parser.add_argument("--gdb", metavar="PORT", help="serve GDB's remote protocol on that port of the loopback address, or on standard input and output (-)")
    parser.add_argument("--dap", action="store_true", help="serve the Debug Adapter Protocol on standard input and output, for editors")
    parser.add_argument("--vsix", metavar="FILE", help="write an extension for VS Code that starts --dap, and nothing else: code --install-extension FILE")
    parser.add_argument("command", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.vsix is None and not given.dap and (not given.command or given.command[0] not in SUBCOMMANDS):
        parser.error("what to debug is missing: give run WORKLOAD, exec FILE.ptx ..., or cuda -- PROGRAM")
    return given


def talk(given, engine):
    prompt = Prompt(engine, as_json=given.json)
    prompt.tell(engine.place)
    for name in given.script:
        with contextlib.nullcontext(sys.stdin) if name == "-" else open(name, encoding="utf-8") as lines:
            goes_on, right = prompt.script(lines, given.keep_going)
        if not goes_on:
            return 0 if right else 1
    if not given.batch and "-" not in given.script:  # nobody is left at an input that has ended
        prompt.converse()
    return 0


def write_extension(cowarp, path):
    import vsix  # noqa: PLC0415  (only this needs it)
    version = subprocess.run([cowarp, "--version"], check=True, capture_output=True, text=True).stdout.split()[1]
    try:
        vsix.write(path, version)
    except OSError as wrong:
        print(f"cowarp: debug: {path}: {wrong.strerror}", file=sys.stderr)
        return 2
    return 0


def main():
    given = read_arguments()
    cowarp = os.environ.get("COWARP", "cowarp")
    if given.vsix is not None:
        return write_extension(cowarp, given.vsix)
    if given.dap:
        import dap  # noqa: PLC0415  (only this face needs it)
        return dap.serve(cowarp, given.command)
    engine = None
    try:
        engine = Engine(cowarp, given.command, stdout=sys.stderr if given.json or given.gdb == "-" else None)
        if given.at is not None:
            engine.go(f"at {given.at}")
        if given.gdb:
            import gdbserver  # noqa: PLC0415
            return gdbserver.serve(engine, given.gdb)
        return talk(given, engine)
    except Ended as ended:
        if not given.json and ended.status:
            print(ended, file=sys.stderr)
        return ended.status
    except (Wrong, OSError) as wrong:
        print(f"cowarp: debug: {wrong}", file=sys.stderr)
        return 2
    finally:
        if engine is not None:
            engine.close()


if __name__ == "__main__":
    try:
        code = main()
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    sys.exit(code)
