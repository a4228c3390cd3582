/** `waypost completions`: scripts for shells, made from the commands themselves. */
import { Argument, type Command } from 'commander';

interface Completion {
  /** The command's words, as in `domains list`. Empty for the program itself. */
  readonly path: string;
  readonly words: readonly { readonly word: string; readonly description: string }[];
}

const SHELLS = { bash: bashScript, zsh: zshScript, fish: fishScript };

export function addCompletionsCommand(program: Command): void {
  program
    .command('completions')
    .description('print a script that completes commands and options')
    .addArgument(new Argument('<shell>').choices(Object.keys(SHELLS)))
    .addHelpText(
      'after',
      `
Examples:
  $ waypost completions bash > ~/.local/share/bash-completion/completions/waypost
  $ source <(waypost completions zsh)
  $ waypost completions fish > ~/.config/fish/completions/waypost.fish`,
    )
    .action((shell: keyof typeof SHELLS) => {
      process.stdout.write(SHELLS[shell](completionsOf(program, '', program)));
    });
}

function completionsOf(command: Command, path: string, program: Command): Completion[] {
  const options = new Set([...command.options, ...program.options]);
  const words = [
    ...command.commands.map((one) => ({ word: one.name(), description: one.description() })),
    ...Array.from(options, (one) => ({ word: one.long ?? one.short ?? '', description: one.description })),
    { word: '--help', description: 'show examples' },
  ];
  const below = command.commands.map((one) => completionsOf(one, `${path} ${one.name()}`.trim(), program));
  return [{ path, words }, ...below.flat()];
}

/** In the script, `path` has the leading words that name commands. Names of files complete everywhere, by the default of the shell. */
function bashScript(completions: readonly Completion[]): string {
  const cases = completions.map(
    ({ path, words }) => `    '${path}') words='${words.map(({ word }) => word).join(' ')}' ;;`,
  );
  return `_waypost() {
  local path='' next word words=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    next="\${path:+$path }$word"
    case "$next" in
${completions.map(({ path }) => `      '${path}') path="$next" ;;`).join('\n')}
    esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _waypost waypost
`;
}

function zshScript(completions: readonly Completion[]): string {
  return `autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n${bashScript(completions)}`;
}

function fishScript(completions: readonly Completion[]): string {
  const lines = completions.flatMap(({ path, words }) =>
    words.map(({ word, description }) => {
      const names = path.split(' ').filter((name) => name !== '');
      const seen =
        names.map((name) => `__fish_seen_subcommand_from ${name}`).join('; and ') || '__fish_use_subcommand';
      const shown = word.startsWith('--') ? `-l ${word.slice(2)}` : `-f -a ${word}`;
      return `complete -c waypost -n '${seen}' ${shown} -d '${description.replaceAll("'", '’')}'`;
    }),
  );
  return `${lines.join('\n')}\n`;
}
