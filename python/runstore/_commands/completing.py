"""runstore completion: scripts for shells, made from the parser."""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from runstore._commands.common import Commands


@dataclass
class _Command:
    """What can be typed after a command: words, and the words after an option that takes one."""

    name: str
    help: str
    words: list[str] = field(default_factory=list)
    options: list[argparse.Action] = field(default_factory=list)


def add(commands: Commands, parser: argparse.ArgumentParser) -> None:
    """Add the command; the parser is the whole one."""
    completing = commands.add_parser(
        "completion",
        help="print a script that completes this command in a shell",
        description="Print a script for the shell. bash: source <(runstore completion bash). zsh: save it as "
        "_runstore in a directory of $fpath. fish: runstore completion fish | source.",
    )
    completing.add_argument("shell", choices=sorted(_SHELLS), help="the shell")
    completing.set_defaults(run=lambda options: print(_SHELLS[options.shell](_commands(parser)), end=""))


def _commands(parser: argparse.ArgumentParser) -> list[_Command]:
    (chooser,) = [each for each in parser._actions if isinstance(each, argparse._SubParsersAction)]
    helps = {each.dest: each.help or "" for each in chooser._choices_actions}
    return [_command(name, helps[name], each) for name, each in chooser.choices.items()]


def _command(name: str, text: str, parser: argparse.ArgumentParser) -> _Command:
    found = _Command(name, text)
    for action in parser._actions:
        if action.option_strings:
            found.options.append(action)
        elif action.choices:
            found.words += map(str, action.choices)
    return found


def _bash(commands: list[_Command]) -> str:
    names = " ".join(each.name for each in commands)
    lines = [
        "_runstore() {",
        "    local word=${COMP_WORDS[COMP_CWORD]} command='' i",
        "    for ((i = 1; i < COMP_CWORD; i++)); do",
        f"        case ${{COMP_WORDS[i]}} in {names.replace(' ', '|')}) command=${{COMP_WORDS[i]}}; break ;; esac",
        "    done",
        "    case $command in",
        f"        '') COMPREPLY=($(compgen -W '{names} --help --version' -- \"$word\")) ;;",
    ]
    for each in commands:
        # After an option that takes a value there are no words, and bash goes on to file names.
        taking = "|".join(text for action in each.options if _takes_value(action) for text in action.option_strings)
        words = " ".join([*each.words, *_texts(each)])
        reply = f"COMPREPLY=($(compgen -W '{words}' -- \"$word\"))"
        if taking:
            reply = f"case ${{COMP_WORDS[COMP_CWORD - 1]}} in {taking}) COMPREPLY=() ;; *) {reply} ;; esac"
        lines.append(f"        {each.name}) {reply} ;;")
    return "\n".join([*lines, "    esac", "}", "complete -o default -F _runstore runstore", ""])


def _zsh(commands: list[_Command]) -> str:
    lines = ["#compdef runstore", "", "_runstore() {", "    if (( CURRENT == 2 )); then", "        local -a commands=("]
    lines += [f"            {_quoted(f'{each.name}:{each.help}')}" for each in commands]
    lines += ["        )", "        _describe command commands", "        return", "    fi", "    case $words[2] in"]
    for each in commands:
        lines.append(f"        {each.name}) compadd -- {' '.join([*each.words, *_texts(each)])} ;;")
    lines += ["    esac", "    [[ $words[CURRENT] == -* ]] || _files", "}", ""]
    return "\n".join(
        [*lines, 'if [[ $funcstack[1] == _runstore ]]; then _runstore "$@"; else compdef _runstore runstore; fi', ""]
    )


def _fish(commands: list[_Command]) -> str:
    return "\n".join([*_fish_lines(commands), ""])


def _fish_lines(commands: list[_Command]) -> Iterator[str]:
    for each in commands:
        yield f"complete -c runstore -n __fish_use_subcommand -f -a {each.name} -d {_quoted(each.help)}"
        condition = f"complete -c runstore -n '__fish_seen_subcommand_from {each.name}'"
        if each.words:
            yield f"{condition} -f -a '{' '.join(each.words)}'"
        for action in each.options:
            names = [f"-l {text[2:]}" if text.startswith("--") else f"-s {text[1:]}" for text in action.option_strings]
            takes = " -r" if _takes_value(action) else ""
            yield f"{condition} {' '.join(names)}{takes} -d {_quoted(_help(action))}"


def _texts(command: _Command) -> list[str]:
    return [text for action in command.options for text in action.option_strings if text.startswith("--")]


def _takes_value(action: argparse.Action) -> bool:
    return action.nargs != 0


def _help(action: argparse.Action) -> str:
    return (action.help or "").split(" (default")[0]


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


_SHELLS: dict[str, Callable[[list[_Command]], str]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
