import { accountants, calibrator } from '@lethe/accountants';
import { eventKindsOf, type Registry } from '@lethe/core';
import type { EvaluationResult } from '../../src/experiment/results.js';
import { experimentSchema, type Evaluation } from '../../src/experiment/schema.js';
import { registry as shipped } from '../../src/registry.js';
import { evaluate, type EvaluationContext } from '../../src/run/evaluate.js';

/** What a run takes from its surroundings, with nobody watching. */
export const quiet = (registry: Registry = shipped): EvaluationContext => ({
  registry,
  calibrate: calibrator(accountants, eventKindsOf(registry)),
  folder: '.',
  command: 'none',
  signal: new AbortController().signal,
  progress: {
    phase() {
      /* silent */
    },
    warn() {
      /* silent */
    },
    start() {
      /* silent */
    },
    step() {
      /* silent */
    },
    pause: () => undefined,
    end() {
      /* silent */
    },
  },
});

/** Runs an evaluation as its file would be. */
export const runEvaluation = (content: object, registry?: Registry): Promise<EvaluationResult> =>
  evaluate(
    experimentSchema.parse({ lethe: 1, kind: 'evaluation', name: 'a', title: 'A', ...content }) as Evaluation,
    quiet(registry),
  );
