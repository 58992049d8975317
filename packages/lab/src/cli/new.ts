import { createPlugin, problemWith } from '@lethe/create-plugin';
import type { Action } from './command.js';
import { UsageError } from './usage-error.js';

export const createPackage: Action = (parsed, { out, error }) => {
  const [kind, name] = parsed.positionals;
  const given = { kind, name, folder: process.cwd() };
  const problem = problemWith(given);
  if (problem !== null) throw new UsageError(problem);
  const files = createPlugin(given);
  out(parsed.flag('json') ? `${JSON.stringify(files)}\n` : files.map((file) => `wrote ${file}\n`).join(''));
  error(`Next: cd ${name} && npm install && npm test\n`);
  return Promise.resolve(0);
};
