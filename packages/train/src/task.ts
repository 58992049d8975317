import type { Ref } from '@lethe/core';
import { logistic, poissonRegression, softmax, squared } from '@lethe/losses';
import type { LabelSchema } from './schema.js';

/** What a model predicts: one of two classes, one of several, a number or a count. */
export type Task = 'binary' | 'classes' | 'number' | 'count';

/** The task of a label. */
export function taskOf(label: LabelSchema): Task {
  switch (label.type) {
    case 'classes':
      return label.classes.length === 2 ? 'binary' : 'classes';
    case 'above':
    case 'equals':
      return 'binary';
    case 'number':
    case 'count':
      return label.type;
  }
}

/** Names of the classes of a label; none for numbers. */
export function classesOf(label: LabelSchema): readonly (string | number)[] {
  if (label.type === 'classes') return label.classes;
  if (label.type === 'equals') return [`not ${label.value}`, label.value];
  return label.type === 'above' ? [`at most ${label.threshold}`, `above ${label.threshold}`] : [];
}

/** The loss that is used for a label unless another is given. */
export function usualLoss(label: LabelSchema): Ref<'loss'> {
  switch (taskOf(label)) {
    case 'binary':
      return logistic({});
    case 'classes':
      return softmax({ classes: classesOf(label).length });
    case 'number':
      return squared({});
    case 'count':
      return poissonRegression({});
  }
}

/** Bound on the size of every label as the loss sees it; `undefined` for classes, which have no size. */
export function labelBoundOf(label: LabelSchema): number | undefined {
  if (label.type === 'number') return 1;
  return label.type === 'count' ? label.upper : undefined;
}
