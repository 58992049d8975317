import { setFlagsFromString } from 'node:v8';

/**
 * Lets V8 compile later what a silo runs once a round, where its version counts by bytes run (Node 20): many
 * silos on one machine would compile for some hundred rounds, which takes longer than it saves them.
 */
export const compileLater = (): void => {
  // Others do not know the flag, and compile later by themselves.
  if (process.versions.v8.startsWith('11.')) setFlagsFromString('--interrupt-budget=1000000');
};
