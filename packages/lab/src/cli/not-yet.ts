import { Unsupported } from '@lethe/core';
import { helpFlag, jsonFlag, type Command } from './command.js';

/** A command whose place is taken but whose work is not done. */
export const notYet = (name: string, summary: string): Command => ({
  name, arguments: '', summary: `${summary} (Not yet.)`, options: { json: jsonFlag, help: helpFlag },
  run() { throw new Unsupported('not yet: this command comes with a later version', { command: name }); },
});
