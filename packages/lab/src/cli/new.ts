import { InvalidParameter } from '@lethe/core';
import { createPlugin, kinds, problemWith } from '@lethe/create-plugin';
import { helpFlag, jsonFlag, type Command } from './command.js';

export const newCommand: Command = {
  notes: `The kinds: ${kinds.join(', ')}. The package is written into a folder NAME of the current one.`,
  options: { json: jsonFlag, help: helpFlag },
  run(parsed, { out, error }) {
    const [kind, name, ...more] = parsed.positionals;
    const given = { kind, name, folder: process.cwd() };
    const problem =
      more.length > 0
        ? `lethe new takes a kind and a name, got ${more.length + 2} arguments`
        : problemWith(given);
    if (problem !== null) throw new InvalidParameter(problem, { kind, name });
    const files = createPlugin(given);
    out(parsed.flag('json') ? `${JSON.stringify(files)}\n` : files.map((file) => `wrote ${file}\n`).join(''));
    error(`Next: cd ${name} && npm install && npm test\n`);
    return Promise.resolve(0);
  },
};
