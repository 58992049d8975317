import {
  adjacencies,
  canonicalJson,
  composedEvent,
  InvalidParameter,
  parseEvent,
  Unsupported,
  type PrivacyEvent,
} from '@lethe/core';
import { assumptionsOf } from '@lethe/accountants';
import { judge, type Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { shown } from '../../law/report.js';
import { examplesOf, kindsOf, knownOf, numbersIn, settingsOf, withValue } from './known.js';

export const schema = defineLaw<'event'>({
  id: 'event/schema',
  kind: 'event',
  tier: 'exact',
  statement:
    'its events are plain JSON of its own kind and version, with a prefix other than core/; ' +
    'the schema refuses every other kind and version, and numbers that JSON does not have',
  power: 'certain',
  check: ({ plugin, params }) => {
    const event = params as PrivacyEvent;
    const wrong = (what: string, input?: unknown): Violation => ({
      what,
      ...(input === undefined ? {} : { input }),
    });
    const accepts = (input: unknown): boolean => plugin.schema.safeParse(input).success;
    const violations = [
      plugin.name.startsWith('core/')
        ? wrong(`its name is '${plugin.name}'; the prefix core/ is reserved`)
        : undefined,
      /^[a-z0-9-]+\/[a-z0-9-]+$/u.test(plugin.name)
        ? undefined
        : wrong(`its name is '${plugin.name}'; a kind of event is "prefix/name" in lower case`),
      event.kind === plugin.name && event.v === plugin.version
        ? undefined
        : wrong(
            `an event of it is of kind '${event.kind}' version ${event.v}; ` +
              `the plugin defines '${plugin.name}' version ${plugin.version}`,
            event,
          ),
      canonicalJson(JSON.parse(JSON.stringify(event))) === canonicalJson(event) &&
      accepts(JSON.parse(JSON.stringify(event)))
        ? undefined
        : wrong('it changes or fails when written as JSON and read again', event),
      ...[
        { ...event, kind: 'acme/another' },
        { ...event, v: event.v + 1 },
        { ...event, v: 0 },
        null,
        {},
        [event],
      ].map((input) =>
        accepts(input) ? wrong('the schema accepts an event of another kind or version', input) : undefined,
      ),
      ...numbersIn(event).flatMap((path) =>
        [NaN, Infinity, -Infinity].map((value) => {
          const input = withValue(event, path, () => value);
          return accepts(input)
            ? wrong(`the schema accepts ${value} as ${path.join('.')}, which JSON cannot hold`, shown(input))
            : undefined;
        }),
      ),
    ];
    return judge(
      violations.length,
      violations.find((violation) => violation !== undefined),
    );
  },
});

export const parsed = defineLaw<'event'>({
  id: 'event/parsed',
  kind: 'event',
  tier: 'search',
  statement:
    'with the kind given, core reads its events unchanged, also when nested; without it they are Unsupported',
  power: 'certain',
  check: (subject, { forAll }) =>
    forAll(
      settingsOf(subject),
      ({ event }) => {
        const kinds = kindsOf(subject);
        for (const whole of [event, composedEvent([event, event])]) {
          const again = parseEvent(JSON.parse(JSON.stringify(whole)), kinds);
          if (canonicalJson(again) !== canonicalJson(whole))
            return { what: `read from JSON it is ${shown(again)}`, input: whole };
          try {
            parseEvent(whole);
            return { what: 'core reads it without its kind', input: whole };
          } catch (error) {
            if (!(error instanceof Unsupported))
              return {
                what: `without its kind: expected Unsupported, core says ${String(error)}`,
                input: whole,
              };
          }
        }
        return undefined;
      },
      { runs: 10, examples: examplesOf(subject) },
    ),
});

/** Violation in the form of a characterisation, if any. */
function malformed(want: string, value: unknown): string | undefined {
  const number = (x: unknown, of: string): string | undefined =>
    typeof x === 'number' && x >= 0
      ? undefined
      : `${of} is ${String(x)}; it must be a number from 0 to Infinity`;
  const fields = (value ?? {}) as Readonly<Record<string, unknown>>;
  switch (want) {
    case 'pure':
    case 'zcdp':
      return number(value, want);
    case 'approximate':
      return (
        number(fields['epsilon'], 'approximate.epsilon') ??
        number(fields['delta'], 'approximate.delta') ??
        ((fields['delta'] as number) <= 1
          ? undefined
          : `approximate.delta is ${String(fields['delta'])}; it must be at most 1`)
      );
    case 'tcdp':
      return (
        number(fields['rho'], 'tcdp.rho') ??
        ((fields['omega'] as number) > 1
          ? undefined
          : `tcdp.omega is ${String(fields['omega'])}; it must be above 1`)
      );
    case 'gdp': {
      const ends = number(fields['lower'], 'gdp.lower') ?? number(fields['mu'], 'gdp.mu');
      if (ends !== undefined) return ends;
      const [lower, mu] = [fields['lower'] as number, fields['mu'] as number];
      if (!(lower <= mu)) return `gdp.lower is ${lower}, above gdp.mu, ${mu}`;
      if (typeof fields['exact'] !== 'boolean') return `gdp.exact is ${String(fields['exact'])}`;
      if (fields['exact'] && !(lower === mu || mu - lower <= 1e-9 * mu))
        return `gdp.exact is true, although lower is ${lower} and mu ${mu}`;
      return undefined;
    }
    case 'rdp':
      return typeof value === 'function'
        ? orders
            .map((alpha) =>
              number((value as (a: number) => number)(alpha), `the Rényi divergence of order ${alpha}`),
            )
            .find((wrong) => wrong !== undefined)
        : `rdp is ${String(value)}; it must be a function of the order`;
    case 'pair':
      return Array.isArray(value) && value.length > 0
        ? undefined
        : `pair is ${String(value)}; it must be a list of dominating pairs`;
    default:
      return `'${want}' is not a characterisation of core`;
  }
}

/** Rényi orders from just above 1 to far beyond practical use. */
export const orders = [1 + 1e-6, 1.01, 1.1, 1.5, 2, 2.5, 3, 4, 8, 16, 64, 256, 1e4] as const;

export const characterised = defineLaw<'event'>({
  id: 'event/characterised',
  kind: 'event',
  tier: 'search',
  statement:
    'each characterisation consists of numbers from 0 to Infinity, without NaN, equal at every call, ' +
    'or is refused as Unsupported; at least one exists under some adjacency',
  power: 'any malformed value on 1 of 30 events',
  check: (subject, { forAll }) => {
    const { params } = subject;
    if (
      !adjacencies.some(
        (adjacency) => Object.keys(knownOf(subject, params as PrivacyEvent, adjacency)).length > 0,
      )
    )
      return judge(3, {
        what: 'it has no characterisation under any adjacency: no accountant can answer for it',
        input: params,
      });
    return forAll(
      settingsOf(subject),
      ({ event, adjacency }) => {
        const before = JSON.stringify(event);
        const first = knownOf(subject, event, adjacency);
        const again = knownOf(subject, event, adjacency);
        for (const [want, value] of Object.entries(first)) {
          const wrong = malformed(want, value);
          if (wrong !== undefined) return { what: `under ${adjacency}, ${wrong}`, input: event };
          const other = again[want as keyof typeof again];
          const plainText = (v: unknown): string => {
            const data = () => {
              if (typeof v === 'function') return orders.map((alpha) => (v as (a: number) => number)(alpha));
              if (want === 'pair')
                return (v as NonNullable<typeof first.pair>).map((p) => [
                  p.direction,
                  p.attained,
                  p.factors.map(({ distribution, count }) => [
                    count,
                    distribution.infinite,
                    distribution.support,
                    distribution.hockeyStick(0.5),
                  ]),
                ]);
              return v;
            };
            return shown(data());
          };
          if (plainText(value) !== plainText(other))
            return {
              what:
                `under ${adjacency}, ${want} is ${plainText(value)} at the first ` +
                `call and ${plainText(other)} at the second`,
              input: event,
            };
        }
        return JSON.stringify(event) === before
          ? undefined
          : { what: 'a characterisation modified the event', input: event };
      },
      { runs: 20, examples: examplesOf(subject) },
    );
  },
});

export const wellFormedQuestions = defineLaw<'event'>({
  id: 'event/assumptions',
  kind: 'event',
  tier: 'exact',
  statement: 'its assumptions are a list of strings, and every certificate about its events lists them',
  power: 'certain',
  check: (subject) => {
    const { plugin, params } = subject;
    const stated = plugin.assumptions ?? [];
    const odd = stated.find((text) => typeof text !== 'string' || text.trim() === '');
    if (odd !== undefined)
      return judge(1, { what: `an assumption is ${JSON.stringify(odd)}; it must be a string` });
    let carried: readonly string[];
    try {
      carried = assumptionsOf(
        parseEvent(composedEvent([params as PrivacyEvent]), kindsOf(subject)),
        kindsOf(subject),
      );
    } catch (error) {
      if (error instanceof InvalidParameter || error instanceof Unsupported)
        return judge(1, { what: `core cannot read its events: ${error.message}`, input: params });
      throw error;
    }
    const lost = stated.find((text) => !carried.includes(text));
    return judge(
      1,
      lost === undefined ? undefined : { what: `the assumption '${lost}' is missing in a certificate` },
    );
  },
});
