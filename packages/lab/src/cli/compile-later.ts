import { setFlagsFromString } from 'node:v8';

/**
 * Lets V8 compile later what a silo runs once a round. Many silos on one machine would compile it for some
 * hundred rounds, which takes longer than it saves. On Node 20 alone: later versions of V8 do not know the
 * flag, and compile later by themselves.
 */
export const compileLater = (): void => {
  if (process.versions.v8.startsWith('11.')) setFlagsFromString('--interrupt-budget=1000000');
};
