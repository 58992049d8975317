import {
  composedEvent,
  InvalidParameter,
  LetheError,
  parallelEvent,
  repeatedEvent,
  Unsupported,
  type PrivacyEvent,
} from '@lethe/core';
import { type Violation, judge } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { epsilonOf } from './ask.js';
import { failing, filtered, gaussian, json, laplace, poisson, pure } from './events.js';

const unknownEvent = (kind: string, v = 1): PrivacyEvent =>
  json({ kind, v, epsilon: 1, sigma: 1, sensitivity: { 'replace-one': 1, 'zero-out': 1, 'add-remove': 1 } });

export const unknownKind = defineLaw<'accountant'>({
  id: 'accountant/unknown-kind',
  kind: 'accountant',
  tier: 'exact',
  statement:
    'an event of an undefined kind or version throws Unsupported with a message that names the kind, ' +
    'also when nested; there is never a number',
  power: 'certain',
  check: ({ plugin }) => {
    const nest = (event: PrivacyEvent): readonly PrivacyEvent[] => [
      event,
      repeatedEvent(event, 3),
      composedEvent([pure(0.1), composedEvent([event])]),
      parallelEvent([event, pure(0.1)]),
      poisson(0.1, event),
      poisson(1, event),
      failing(1e-6, event),
      filtered(event),
    ];
    const asked = [
      ['acme/unheard-of', 1],
      ['core/unheard-of', 1],
      ['core/gaussian', 2],
      ['core/pure', 9],
    ].flatMap(([kind, v]) =>
      nest(unknownEvent(kind as string, v as number)).map((event) => ({ kind: kind as string, event })),
    );
    for (const [i, { kind, event }] of asked.entries()) {
      for (const ask of [
        () => plugin.epsilon(event, { adjacency: 'zero-out', delta: 1e-5 }),
        () => plugin.delta(event, { adjacency: 'zero-out', epsilon: 1 }),
      ]) {
        const violation = expectUnsupported(ask, kind);
        if (violation) return { verdict: 'fails', samples: i + 1, violation: { ...violation, input: event } };
      }
    }
    return judge(asked.length, undefined);
  },
});

function expectUnsupported(ask: () => { readonly upper: number }, name: string): Violation | undefined {
  try {
    const { upper } = ask();
    return {
      what:
        'the answer for an event of the undefined kind or version ' +
        `'${name}' is ${upper}; expected Unsupported`,
      measured: upper,
    };
  } catch (error) {
    if (!(error instanceof Unsupported))
      return {
        what: `expected Unsupported for an event of kind '${name}'; it throws ${String(error)}`,
        cause: error,
      };
    return error.message.includes(name)
      ? undefined
      : { what: `the message of Unsupported does not name the kind '${name}': ${error.message}` };
  }
}

const malformedEvents: readonly unknown[] = [
  undefined,
  null,
  'core/gaussian',
  7,
  [],
  {},
  { kind: 'core/pure' },
  { kind: 'core/pure', v: 1 },
  { kind: 'core/pure', v: 1, epsilon: -1 },
  { kind: 'core/pure', v: 1, epsilon: NaN },
  { kind: 'core/pure', v: 1, epsilon: '1' },
  { kind: 'core/gaussian', v: 1, sigma: 0, sensitivity: { 'zero-out': 1 } },
  { kind: 'core/gaussian', v: 1, sigma: -1, sensitivity: { 'zero-out': 1 } },
  { kind: 'core/gaussian', v: 1, sigma: 1 },
  { kind: 'core/gaussian', v: 1, sigma: 1, sensitivity: { 'zero-out': -1 } },
  { kind: 'core/laplace', v: 1, scale: NaN, sensitivity: { 'zero-out': 1 } },
  { kind: 'core/zcdp', v: 1, rho: -0.1 },
  { kind: 'core/compose', v: 1, parts: [{ event: pure(1), count: 0 }] },
  { kind: 'core/compose', v: 1, parts: [{ event: pure(1), count: 1.5 }] },
  { kind: 'core/compose', v: 1, parts: [{ event: pure(1), count: -3 }] },
  { kind: 'core/compose', v: 1, parts: [{ event: { kind: 'core/pure', v: 1, epsilon: -1 }, count: 1 }] },
  { kind: 'core/sampled', v: 1, sampler: { kind: 'core/poisson', rate: 0 }, event: pure(1) },
  { kind: 'core/sampled', v: 1, sampler: { kind: 'core/poisson', rate: 1.5 }, event: pure(1) },
  { kind: 'core/approximate', v: 1, epsilon: 1, delta: 2 },
];

export const questions = defineLaw<'accountant'>({
  id: 'accountant/questions',
  kind: 'accountant',
  tier: 'exact',
  statement:
    'a malformed query throws InvalidParameter: a malformed event, δ outside [0, 1], ε below 0, ' +
    'an unknown adjacency; there is never a number',
  power: 'certain for each of 35 malformed queries',
  check: ({ plugin }) => {
    const asks: readonly (readonly [string, () => unknown])[] = [
      ...malformedEvents.flatMap(
        (event) =>
          [
            [
              `ε of the event ${JSON.stringify(event)}`,
              () => plugin.epsilon(event as PrivacyEvent, { adjacency: 'zero-out', delta: 1e-5 }),
            ],
            [
              `δ of the event ${JSON.stringify(event)}`,
              () => plugin.delta(event as PrivacyEvent, { adjacency: 'zero-out', epsilon: 1 }),
            ],
          ] as const,
      ),
      ...[NaN, -1e-9, -1, 1.0000001, 2, Infinity, undefined, '0.1'].map(
        (delta) =>
          [
            `ε at δ = ${String(delta)}`,
            () => plugin.epsilon(supportedBy(plugin), { adjacency: 'zero-out', delta: delta as number }),
          ] as const,
      ),
      ...[NaN, -1e-9, -Infinity, undefined, '1'].map(
        (epsilon) =>
          [
            `δ at ε = ${String(epsilon)}`,
            () => plugin.delta(supportedBy(plugin), { adjacency: 'zero-out', epsilon: epsilon as number }),
          ] as const,
      ),
      ...['nearby', undefined, null].map(
        (adjacency) =>
          [
            `ε under the adjacency ${String(adjacency)}`,
            () => plugin.epsilon(supportedBy(plugin), { adjacency: adjacency as 'zero-out', delta: 1e-5 }),
          ] as const,
      ),
    ];
    for (const [i, [what, ask]] of asks.entries()) {
      let said: unknown;
      try {
        said = ask();
      } catch (error) {
        if (error instanceof InvalidParameter) continue;
        return judge(i + 1, {
          what:
            `${what}: expected InvalidParameter, ` +
            (error instanceof LetheError ? `it says ${error.name}` : 'it throws an error without a type') +
            `: ${String(error)}`,
          cause: error,
        });
      }
      return judge(i + 1, { what: `${what}: expected InvalidParameter, it answers`, input: said });
    }
    return judge(asks.length, undefined);
  },
});

/** An ordinary event that the accountant supports. */
function supportedBy(plugin: Subject<'accountant'>['plugin']): PrivacyEvent {
  return (
    [gaussian(2), laplace(2), pure(0.5)].find(
      (event) => epsilonOf(plugin, event, { adjacency: 'zero-out', delta: 1e-5 }) !== undefined,
    ) ?? pure(0.5)
  );
}
