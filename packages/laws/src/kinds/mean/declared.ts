import type { Moment } from '@lethe/core';
import { shapesOf, wholeShape, type CentralSubject, type Shape } from './release.js';

/** The two numbers a mean declares for every law with a given moment. */
export type Bounded = 'bias' | 'variance';

export const biasAt = (subject: CentralSubject, shape: Shape, moment: Moment): number =>
  subject.plugin.biasBound(subject.params, wholeShape(subject, shape), moment);
export const varianceAt = (subject: CentralSubject, shape: Shape, moment: Moment, noise: number): number =>
  subject.plugin.varianceBound(subject.params, wholeShape(subject, shape), moment, noise);

/** Small releases, one and two records: every filling can be listed. */
export const smallShapes = (subject: CentralSubject): readonly Shape[] =>
  shapesOf(subject, { dimension: 2, slots: 2, most: 3 }).filter(({ slots }, i) => i === 0 || slots <= 2);
