import {
  domainAt,
  LetheError,
  meanShape,
  parseEvent,
  eventKindsOf,
  resolvePlugin,
  type LocalRandomiser,
  type Resolved,
  type ShuffledMean,
  type ShuffledShape,
} from '@lethe/core';
import { along } from '../../arbitraries/vectors.js';
import { normOf } from '../../engines/norms.js';
import { fails, holds, type Finding } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { PluginSubject, Subject } from '../../law/subject.js';
import { directionsOf } from '../clip/discrete-distribution.js';
import { isCentral } from './define-mean-law.js';

type ShuffledSubject = PluginSubject<'mean', ShuffledMean>;
const isShuffled = (subject: Subject<'mean'>): subject is ShuffledSubject =>
  subject.plugin.trust === 'shuffle';
const whyCentral = (subject: Subject<'mean'>): string | undefined =>
  isCentral(subject) ? 'a trusted curator computes it' : undefined;

const users = 12;
const target = { epsilon: 1, delta: 1e-6 } as const;
const crowdOf = (registry: ShuffledShape['registry'], dimension: number): ShuffledShape => ({
  ...meanShape({ dimension, slots: users, registry }),
  honestUsers: users,
  target,
});

/** The randomiser with a crowd of a size that it takes. */
function parts({ plugin, params, registry }: ShuffledSubject): {
  readonly randomiser: Resolved<LocalRandomiser>;
  readonly shapes: readonly ShuffledShape[];
} {
  const randomiser = resolvePlugin<LocalRandomiser>(registry, plugin.randomiser(params));
  const takes = ({ dimension, slots, honestUsers }: ShuffledShape): boolean => {
    try {
      parseEvent(
        randomiser.plugin.event(randomiser.params, { dimension, users: slots, honestUsers, target }),
        eventKindsOf(registry),
      );
      return true;
    } catch (error) {
      if (error instanceof LetheError) return false;
      throw error;
    }
  };
  return { randomiser, shapes: [1, 2, 5].map((dimension) => crowdOf(registry, dimension)).filter(takes) };
}

/** The declarations of a shuffled mean follow from its randomiser. */
export const randomiser = defineLaw<'mean'>({
  id: 'mean/randomiser',
  kind: 'mean',
  tier: 'exact',
  statement:
    'its randomiser is there and takes a crowd of 12; where it knows bounds, ' +
    'they are not below the bias and the spread of records that the randomiser moves into its domain, ' +
    'nor below what it says of the randomness',
  power:
    'a bias or a variance that leaves out what is cut off, the sampling of records, or the randomness, ' +
    'at five sizes in each direction',
  exempt: whyCentral,
  check: (subject) => (isShuffled(subject) ? bounded(subject) : holds(0)),
});

function bounded(subject: ShuffledSubject): Finding {
  const { plugin, params, registry } = subject;
  const {
    randomiser: { plugin: own, params: given },
    shapes,
  } = parts(subject);
  if (shapes.length === 0)
    return fails(1, {
      what: `no crowd of ${users} is taken by its randomiser '${own.name}', in 1, 2 or 5 dimensions`,
    });
  let samples = 0;
  for (const shape of shapes)
    for (const direction of directionsOf(shape.dimension))
      for (const length of [1e-3, 0.5, 1, 3, 100]) {
        const record = along(direction, length);
        const moment = { order: 2, value: length ** 2 };
        const { dimension } = shape;
        const bias = plugin.biasBound(params, shape, moment);
        const variance = plugin.varianceBound(params, shape, moment);
        const domain = own.domain?.(given, dimension);
        for (const bound of [bias, variance])
          if (bound !== null && !(bound >= 0))
            return fails(samples, { what: `a bound is ${bound}`, input: { moment } });
        if (domain === undefined) continue;
        samples++;
        const near = domainAt(registry, domain, dimension).projectInto(
          new Float64Array(dimension),
          Float64Array.from(record),
        );
        const moved = normOf(
          'l2',
          near.map((x, j) => x - record[j]),
        );
        if (bias !== null && !(bias >= moved * (1 - 1e-9) - 1e-300))
          return fails(samples, {
            what:
              `records that are all of length ${length} are moved by ${moved}; ` +
              `biasBound says at most ${bias}`,
            measured: moved,
            allowed: bias,
            input: { record },
          });
        const noise = own.varianceBound?.(given, { dimension, users, honestUsers: users, target }) ?? 0;
        const least = noise / users ** 2 + normOf('l2', near) ** 2 / users;
        if (variance !== null && !(variance >= least * (1 - 1e-9)))
          return fails(samples, {
            what:
              `randomness and records of either sign of length ${length} have a variance of ${least}; ` +
              `varianceBound says at most ${variance}`,
            measured: least,
            allowed: variance,
            input: { record },
          });
      }
  return holds(samples);
}

/** Other units of the randomiser are other units of the mean. */
export const scaledRandomiser = defineLaw<'mean'>({
  id: 'mean/scale-equivariant',
  kind: 'mean',
  tier: 'exact',
  // The estimates of many users are listed, which takes seconds at one set of parameters.
  elsewhere: 0,
  onClaim: true,
  statement:
    'scaled by c, what the randomiser makes of c times a record and the same ' +
    'randomness estimates c times the sum, for the same event',
  power: 'any parameter that keeps its unit, at three sizes in each direction',
  exempt: whyCentral,
  check: (subject, env) => (isShuffled(subject) ? unitsOf(subject, (label) => env.random(label)) : holds(0)),
});

function unitsOf(
  subject: ShuffledSubject,
  random: (label: string) => ReturnType<Parameters<typeof scaledRandomiser.check>[1]['random']>,
): Finding {
  // Few messages of few entries: an estimate takes as long as the curator needs for it.
  const shapes = parts(subject).shapes.slice(0, 2);
  let samples = 0;
  const estimate = (scaled: ShuffledSubject, record: readonly number[]): Float64Array => {
    const { plugin, params } = parts(scaled).randomiser;
    const context = { dimension: record.length, users: 2, honestUsers: 2, target };
    const [one, other] = [1, -1].map((sign, user) =>
      plugin.randomise(
        params,
        context,
        Float64Array.from(record, (x) => sign * x),
        random(`user ${user}`),
      ),
    );
    const messages = new Uint32Array(one.length + other.length);
    messages.set(one);
    messages.set(other, one.length);
    return Float64Array.from(plugin.analyse(params, context, messages));
  };
  for (const { dimension } of shapes)
    for (const direction of directionsOf(dimension))
      for (const length of [0.1, 1, 30]) {
        const record = along(direction, length);
        const before = estimate(subject, record);
        for (const factor of [0.25, 2, 1024]) {
          const changed: unknown = subject.plugin.scaled?.(subject.params, factor, subject.registry) ?? null;
          if (changed === null)
            return fails(samples, { what: `it claims other units and has none for ${factor}` });
          samples++;
          const own = before.map((x) => x * factor);
          const found = estimate(
            { ...subject, params: subject.plugin.params.parse(changed) },
            record.map((x) => x * factor),
          );
          const measured = normOf(
            'linf',
            found.map((x, j) => x - own[j]),
          );
          const allowed = 1e-9 * (normOf('linf', own) + factor * length);
          if (!(measured <= allowed))
            return fails(samples, {
              what:
                `scaled by ${factor} the estimate is [${found.join(', ')}]; ` +
                `${factor} times the estimate is [${own.join(', ')}]`,
              measured,
              allowed,
            });
        }
      }
  return holds(samples);
}
