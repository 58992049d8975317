import type { Moment } from '@lethe/core';
import { shapesOf, type Oracle, type Shape } from './release.js';

/** The two numbers an oracle declares for every law with a given moment. */
export type Bounded = 'bias' | 'variance';

export const biasAt = ({ plugin, params }: Oracle, shape: Shape, moment: Moment): number => plugin.biasBound(params as never, shape, moment);
export const varianceAt = ({ plugin, params }: Oracle, shape: Shape, moment: Moment, noise: number): number => plugin.varianceBound(params as never, shape, moment, noise);

/** Small releases, one and two records: every filling can be listed. */
export const smallShapes = (oracle: Oracle): readonly Shape[] => shapesOf(oracle, { dimension: 2, slots: 2, most: 3 }).filter(({ slots }, i) => i === 0 || slots <= 2);
