import { setFlagsFromString } from 'node:v8';

/**
 * Lets the heap of a process grow that runs the rounds of a federated run. V8 lets that of a process that
 * mostly waits grow by a fifth only; with megabytes of vectors a round it collects all of it every few
 * rounds, which takes longer than the round's own work.
 */
export const letHeapGrow = (): void => setFlagsFromString('--heap-growing-percent=300');
