import type { Command } from 'commander';
import { choice } from '../parsing.js';
import type { Terminal } from '../terminal.js';
import { bashCompletion } from './bash.js';
import { fishCompletion } from './fish.js';
import { completedCommands } from './model.js';
import { zshCompletion } from './zsh.js';

const SHELLS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };
type Shell = keyof typeof SHELLS;
const SHELL_NAMES = Object.keys(SHELLS) as Shell[];

/** `marquee completion`: the script with which a shell completes commands, options and values. */
export function addCompletionCommand(program: Command, terminal: Terminal): void {
  program
    .command('completion')
    .summary('print the completions for a shell')
    .description(
      'Prints the script with which a shell completes commands, options, file names and the values of closed sets, for `marquee` ' +
        'and `npx marquee`. It contains the commands of this release: print it again after an upgrade, or let the shell do so.',
    )
    .argument('<shell>', SHELL_NAMES.join(', '), choice(SHELL_NAMES))
    .addHelpText(
      'after',
      "\nExamples:\n  $ echo 'source <(marquee completion bash)' >> ~/.bashrc\n" +
        "  $ echo 'source <(marquee completion zsh)' >> ~/.zshrc\n" +
        '  $ marquee completion fish > ~/.config/fish/conf.d/marquee.fish\n' +
        '  $ source <(npx marquee completion bash)',
    )
    .action((shell: Shell) => terminal.out(SHELLS[shell](completedCommands(program))));
}
