import type { Action, Command, Option } from './command.js';

export const printCompletion: Action = async ({ positionals: [shell] }, { out, commands }) => {
  const scripts: Readonly<Record<string, (all: readonly Command[]) => string>> = { bash, zsh, fish };
  out(scripts[shell](commands));
  return 0;
};

const optionsOf = ({ options }: Command): readonly (readonly [string, Option])[] => [
  ...Object.entries(options),
  ['help', { type: 'boolean', help: 'print this text' }],
];
const namesOf = (all: readonly Command[]): string => [...all.map(({ name }) => name), 'help'].join(' ');

/** Words of first arguments, by command; of `help` the names of all. */
const firstWords = (all: readonly Command[]): readonly (readonly [name: string, words: string])[] => [
  ...all.flatMap(({ name, words = [] }) => (words.length === 0 ? [] : [[name, words.join(' ')] as const])),
  ['help', namesOf(all)],
];

/** Files are completed where neither an option nor its choices fit. */
function bash(all: readonly Command[]): string {
  const options = all.map(
    (command) =>
      `    ${command.name}) options='${optionsOf(command)
        .map(([key]) => `--${key}`)
        .join(' ')}' ;;`,
  );
  const choices = all.flatMap(({ name, options: own }) =>
    Object.entries(own).flatMap(([key, option]) =>
      option.choices === undefined ? [] : [`    '${name} --${key}') words='${option.choices.join(' ')}' ;;`],
    ),
  );
  const first = firstWords(all).map(([name, words]) => `      ${name}) words='${words}' ;;`);
  return `# bash completion of lethe; use it with: source <(lethe completion bash)
_lethe() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" options='' words=''
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${namesOf(all)} --help --version' -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${options.join('\n')}
  esac
  if [ "$COMP_CWORD" -eq 2 ]; then
    case "\${COMP_WORDS[1]}" in
${first.join('\n')}
    esac
  fi
  case "\${COMP_WORDS[1]} $previous" in
${choices.join('\n')}
  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$options" -- "$current")) ;;
    *) if [ -n "$words" ]; then COMPREPLY=($(compgen -W "$words" -- "$current")); fi ;;
  esac
}
complete -o default -F _lethe lethe
`;
}

function zsh(all: readonly Command[]): string {
  const list = all.map(({ name, summary }) => `    '${name}:${quoted(short(summary))}'`);
  const cases = all.map((command) => {
    const specs = optionsOf(command).map(([key, option]) => {
      const repeated = option.multiple === true ? '*' : '';
      const value = option.choices === undefined ? ':_files' : `:(${option.choices.join(' ')})`;
      return (
        `        '${repeated}--${key}[${quoted(bracketed(short(option.help)))}]` +
        (option.type === 'boolean' ? '' : `:${key}${value}`) +
        "'"
      );
    });
    const words = command.words?.join(' ');
    const argument =
      words === undefined
        ? ''
        : `        '1:argument: _alternative "words:word:(${words})" "files:file:_files"' \\\n`;
    const body = `${specs.join(' \\\n')} \\\n${argument}        '*:file:_files'`;
    return `      ${command.name}) _arguments \\\n${body} ;;`;
  });
  return `#compdef lethe
# zsh completion of lethe; use it with: lethe completion zsh > "\${fpath[1]}/_lethe"
_lethe() {
  local -a commands
  commands=(
${list.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe 'command' commands
  else
    local command="$words[2]"
    shift words
    (( CURRENT-- ))
    case "$command" in
${cases.join('\n')}
      help) _describe 'command' commands ;;
      *) _files ;;
    esac
  fi
}
if [ "$funcstack[1]" = "_lethe" ]; then _lethe "$@"; else compdef _lethe lethe; fi
`;
}

function fish(all: readonly Command[]): string {
  const lines = all.flatMap((command) => [
    `complete -c lethe -n __fish_use_subcommand -a ${command.name} -d ` +
      `'${fishQuoted(short(command.summary))}'`,
    ...optionsOf(command).map(([key, { type, help, choices }]) => {
      const values = choices === undefined ? ' -r' : ` -x -a '${choices.join(' ')}'`;
      return (
        `complete -c lethe -n '__fish_seen_subcommand_from ${command.name}' -l ${key}` +
        `${type === 'boolean' ? '' : values} -d '${fishQuoted(short(help))}'`
      );
    }),
  ]);
  const first = firstWords(all).map(
    ([name, words]) =>
      `complete -c lethe -n '__fish_seen_subcommand_from ${name}; ` +
      `and test (count (commandline -opc)) -eq 2' -a '${words}'`,
  );
  return `# fish completion of lethe\n${[...lines, ...first].join('\n')}\n`;
}

/** The first clause of a text. */
const short = (text: string): string => text.split(/[.;:](?: |$)/u)[0];
/** Inside single quotes of a POSIX shell. */
const quoted = (text: string): string => text.replaceAll("'", `'\\''`);
const bracketed = (text: string): string => text.replaceAll(/[[\]]/gu, '');
const fishQuoted = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
