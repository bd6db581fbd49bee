"""Every --option in a message exists:  advice.py HALFSPACE [ROOT]

String literals of src/ and cli/ that name an option are looked up in the tables that `halfspace help --json` prints.
A literal in the file of a command (cli/cmd_NAME.c) must name an option of that command, or, before the option, the
command that has it; variables of style sheets (--ink:#000, var(--ink)) are no options. Sentences of the library may be shown by several commands: at run time the command itself adds
whose option it is where that is not said (cli/args.c, tests/cli/all/advice.sh).
"""
import glob
import json
import os
import re
import subprocess
import sys

ELSEWHERE = {"help", "version", "completion"}  # of the program, not of a command


def tables(halfspace):
    """The options of each command, those of its variants among them."""
    told = json.loads(subprocess.run([halfspace, "help", "--json"], capture_output=True, check=True).stdout)
    return {command["name"]: set(names(command)) for command in told["commands"]}


def names(part):
    """The names of all options anywhere below."""
    if isinstance(part, list):
        for one in part:
            yield from names(one)
    elif isinstance(part, dict):
        if "type" in part and "name" in part:
            yield part["name"]
        for one in part.values():
            yield from names(one)


def literals(path):
    """Line and text of each string, adjacent ones joined."""
    with open(path) as file:
        text = re.sub(r"/\*.*?\*/", lambda found: re.sub(r"[^\n]", " ", found.group(0)), file.read(), flags=re.S)
    string = r'"((?:[^"\\\n]|\\.)*)"'
    for found in re.finditer(string + r"(?:\s*" + string + ")*", text):
        yield text.count("\n", 0, found.start()) + 1, "".join(re.findall(string, found.group(0)))


def wrong(commands, path, text):
    """The options in the text that cannot be meant."""
    own = re.match(r"cmd_(\w+)\.c", os.path.basename(path))
    for found in re.finditer(r"(?<![\w-])(?<!var\()--([a-z][a-z0-9-]*)(?![a-z0-9-]|:\S)", text):
        name = re.sub("^no-", "", found.group(1))  # flags may be negated
        having = {command for command, options in commands.items() if name in options}
        if name in ELSEWHERE or (own and own.group(1) in having):
            continue
        said = any(command in text[: found.start()] for command in having)
        if not having or (own and own.group(1) in commands and not said):
            yield "--" + name


def main():
    commands, bad, seen = tables(sys.argv[1]), 0, 0
    root = sys.argv[2] if len(sys.argv) > 2 else "."
    for path in sorted(glob.glob(f"{root}/src/*/*.c") + glob.glob(f"{root}/cli/*.c")):
        for line, text in literals(path):
            seen += text.count("--")
            for option in wrong(commands, path, text):
                print(f"{path}:{line}: {option} is not an option of the command: {text[:120]}", file=sys.stderr)
                bad += 1
    return 1 if bad or not (seen or len(sys.argv) > 2) else 0


sys.exit(main())
