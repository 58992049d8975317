import { Corrupt } from '@lethe/core';

/** A stored step outside the plan would make a run ask, and pay, more than it planned. @throws {Corrupt} for such a checkpoint. */
export function assertResumable(step: number, steps: number): void {
  if (Number.isSafeInteger(step) && step >= 0 && step <= steps) return;
  throw new Corrupt(`the checkpoint is at step ${String(step)} of a plan of ${steps}; this optimizer did not write it. Restore a copy of the transcript.`, { step: String(step), steps });
}
