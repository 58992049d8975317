import { InvalidParameter, type Registry } from '@lethe/core';
import { mistakesInExperiment } from '../../src/experiment/check.js';
import { mistakeText } from '../../src/experiment/mistake.js';
import type { Experiment } from '../../src/experiment/schema.js';

/** Throws what is wrong with an experiment as a run does. */
export function checkExperiment(experiment: Experiment, file: string, registry: Registry): void {
  const mistakes = mistakesInExperiment(experiment, registry).map(({ path, message }) =>
    mistakeText({ file, place: null, path: path.join('.'), message }),
  );
  if (mistakes.length > 0) throw new InvalidParameter(mistakes.join('\n'), { mistakes });
}
