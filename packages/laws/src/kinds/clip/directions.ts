import { along, onAxis, type Row } from '../../arbitraries/vectors.js';
import { hillClimb, type Move } from '../../engines/hill-climb.js';
import { distance, normOf } from '../../engines/norms.js';
import { seededRandom } from '@lethe/core';
import { defined } from '@lethe/numerics';
import type { Subject } from '../../law/subject.js';
import { clipped, lengthsOf } from './apply.js';
import { directionsOf } from './discrete-distribution.js';
import { scaleOf } from './vectors.js';

const moves: readonly Move<Row>[] = [
  (row, random) => {
    const by = random.gaussianInto(new Float64Array(row.length));
    const step = 2 ** -random.integer(12);
    return row.map((x, j) => x + step * by[j]);
  },
  (row, random) => row.with(random.integer(row.length), 0),
];

/** Direction of the starting vector (of the size of the scale) that the clip moves most. */
function mostMoved(subject: Subject<'clip'>, starts: readonly Row[]): Row {
  const { norm } = subject.plugin;
  const scale = scaleOf(subject);
  const moved = (row: Row): number => {
    const size = normOf(norm, row);
    if (!(size > 0 && size < Infinity)) return 0;
    const vector = along(row, 2 * scale, norm);
    return distance(norm, clipped(subject, vector), vector) / scale;
  };
  return defined(
    hillClimb<Row>({
      inputs: starts,
      examples: starts,
      moves,
      objective: moved,
      starts: 1,
      evaluations: 300,
      random: seededRandom('directions'),
    }),
  ).input;
}

/**
 * Directions for tests of moment bounds, the likely worst ones first: where the clip moves vectors most
 * (bias), or the clips of long vectors (variance); all axes of short vectors, the corner of the cube, one
 * direction with distinct entries; and their opposites.
 */
export function directions(subject: Subject<'clip'>, which: 'bias' | 'variance'): readonly Row[] {
  const dimension = defined(lengthsOf(subject, 4).at(-1));
  const common = directionsOf(dimension);
  const axes = dimension <= 8 ? Array.from({ length: dimension }, (_, j) => onAxis(dimension, j, 1)) : [];
  const every = [...common, ...axes].flatMap((row) => [row, row.map((x) => -x + 0)]);
  const own =
    which === 'bias'
      ? mostMoved(subject, every)
      : [
          ...clipped(
            subject,
            along(common[common.length - 2], 2 ** 20 * scaleOf(subject), subject.plugin.norm),
          ),
        ];
  const unlike = every.filter(
    (row, i) => every.findIndex((other) => distance('linf', row, other) === 0) === i,
  );
  return normOf('linf', own) > 0 ? [own, ...unlike] : unlike;
}
