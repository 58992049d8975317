import type { Command } from '../command.js';
import { UsageError } from '../usage-error.js';

/** Shells that are known. */
const shells = ['bash', 'zsh', 'fish'] as const;

export const completion: Command = {
  name: 'completion',
  arguments: shells.join('|'),
  words: shells,
  summary: 'Prints a script that completes commands, options and their values in a shell.',
  examples: [
    'source <(lethe completion bash)',
    'lethe completion zsh > "${fpath[1]}/_lethe"',
    'lethe completion fish > ~/.config/fish/completions/lethe.fish',
  ],
  options: {},
  check({ positionals: [shell, ...more] }) {
    if (shell === undefined || more.length > 0 || !(shells as readonly string[]).includes(shell))
      throw new UsageError(`lethe completion needs the name of a shell, one of ${shells.join(', ')}`);
  },
  load: async () => (await import('../completion.js')).printCompletion,
};
