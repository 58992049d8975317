import type { Answered, Curator, Mechanism, Plugin, Query } from '@lethe/core';
import { centralCurator } from '@lethe/curator';
import {
  federation,
  pointsOf,
  rawSilo,
  siloCurator,
  trustedFederation,
  type SiloCurator,
} from '@lethe/curator/federation';
import { planted, type Federation } from './plant.js';

type Silo = Curator<Answered>;
/** Silos that are asked otherwise. */
const through =
  (change: (silo: Silo, i: number, all: readonly Silo[]) => Silo): Federation['join'] =>
  (options) =>
    federation({ ...options, silos: options.silos.map((silo, i) => change(silo, i, options.silos)) });
/** A silo's curator under an agreement that is kept otherwise. */
const held =
  (change: (silo: SiloCurator) => Partial<SiloCurator>): Federation['hold'] =>
  (options) => {
    const silo = siloCurator(options);
    return { ...silo, ...change(silo) };
  };

export const equalWeights = planted(
  'weights-of-silos-ignored',
  'all silos count the same, whatever their weights',
  ['federation/averages'],
  { join: ({ weights: _weights, ...options }) => federation(options) },
);
export const oneSiloMissing = planted(
  'last-silo-never-asked',
  'the first silo answers for the last one',
  ['federation/averages'],
  {
    join: through((silo, i, all) =>
      i < 2
        ? silo
        : {
            ...silo,
            answer(index, query) {
              const said = all[0].answer(index, query);
              return said.answer instanceof Float64Array ? said : silo.answer(index, query);
            },
          },
    ),
  },
);
export const nanAsZero = planted(
  'nan-of-silo-taken-for-zero',
  'numbers that are not finite count as zero',
  ['federation/lies'],
  {
    join: through((silo) => ({
      ...silo,
      answer(index, query) {
        const said = silo.answer(index, query);
        return said.answer instanceof Float64Array
          ? { ...said, answer: said.answer.map((one) => (Number.isFinite(one) ? one : 0)) }
          : said;
      },
    })),
  },
);
export const sameRoots = planted(
  'silos-with-one-root-of-randomness',
  'silos are not asked for the names of their roots',
  ['federation/membership'],
  { join: through((silo) => ({ ...silo, facts: (({ root: _root, ...facts }) => facts)(silo.facts) })) },
);
export const everyFailureAbsence = planted(
  'every-failure-of-silo-taken-for-absence',
  'a run goes on without a silo, whatever it failed of',
  ['federation/silence', 'federation/resume'],
  { join: (options) => federation({ ...options, isAbsence: () => true }) },
);
export const absenceEndsRun = planted(
  'silence-of-silo-ends-run',
  'a run ends where a silo is silent',
  ['federation/silence'],
  { join: ({ isAbsence: _isAbsence, ...options }) => federation(options) },
);
export const quietServer = planted(
  'trusted-server-draws-half-of-noise',
  'the noise of a trusted server is half as large',
  ['federation/server-noise'],
  {
    joinTrusted: (options) =>
      trustedFederation({
        ...options,
        registry: options.registry.map((plugin): Plugin => {
          if (plugin.kind !== 'mechanism') return plugin;
          const { addNoise } = plugin as Mechanism;
          const quiet: Mechanism = {
            ...(plugin as Mechanism),
            addNoise: (params, value, scale, randomness) => addNoise(params, value, scale / 2, randomness),
          };
          return quiet;
        }),
      }),
  },
);
export const simulatedSumsAsTrusted = planted(
  'simulated-sums-with-noise-of-trusted-server',
  'simulated secure sums have the noise of a trusted server, as if no silo sided with it',
  ['federation/server-noise'],
  {
    joinTrusted: (options) =>
      trustedFederation({
        ...options,
        registry: options.registry.map((plugin): Plugin => {
          if (plugin.kind !== 'mechanism' || options.simulatedShares === undefined) return plugin;
          const { addNoise } = plugin as Mechanism;
          const factor = Math.sqrt(options.silos.length / options.simulatedShares);
          const whole: Mechanism = {
            ...(plugin as Mechanism),
            addNoise: (params, value, scale, randomness) =>
              addNoise(params, value, scale / factor, randomness),
          };
          return whole;
        }),
      }),
  },
);
export const serverNoiseForOneSilo = planted(
  'trusted-server-takes-scale-of-first-silo',
  'the noise of a trusted server is that which the last silo needs',
  ['federation/server-noise'],
  {
    joinTrusted: (options) =>
      trustedFederation({
        ...options,
        silos: options.silos.map((silo, i) =>
          i === 0
            ? {
                ...silo,
                sumFor(index, query) {
                  const { left, ...said } = silo.sumFor(index, query);
                  return left === undefined ? said : { ...said, left: { ...left, scale: left.scale / 8 } };
                },
              }
            : silo,
        ),
      }),
  },
);
export const oneShare = planted(
  'coins-of-server-from-one-silo',
  'the randomness of a trusted server is that of one silo, which could subtract the noise',
  ['federation/server-coins'],
  {
    joinTrusted: (options) =>
      trustedFederation({
        ...options,
        silos: options.silos.map((silo, i) => (i === 0 ? silo : { ...silo, share: new Uint8Array(32) })),
      }),
  },
);
export const noiseByNameOfPart = planted(
  'server-takes-parts-by-their-names',
  'the noise of a trusted server depends on the name of a part, which another split gives to other records',
  ['federation/server-coins'],
  {
    joinTrusted: (options) =>
      trustedFederation({
        ...options,
        silos: options.silos.map((silo) => ({
          ...silo,
          sumFor(index, query) {
            const { left, ...said } = silo.sumFor(index, query);
            if (left === undefined) return said;
            const { part: _, ...rest } = left;
            return { ...said, left: rest };
          },
        })),
      }),
  },
);
let servers = 0;
export const rowsByStep = planted(
  'server-draws-rows-by-their-steps',
  'the noise of a step of a stream depends on the query of that step, and not on what was asked before',
  ['federation/server-coins'],
  {
    joinTrusted: (options) =>
      trustedFederation({
        ...options,
        silos: options.silos.map((silo) => ({
          ...silo,
          sumFor(index, query) {
            const { left, ...said } = silo.sumFor(index, query);
            if (left?.course === undefined) return { ...said, ...(left === undefined ? {} : { left }) };
            return { ...said, left: { ...left, course: '0'.repeat(32) } };
          },
        })),
      }),
  },
);
export const freshServerNoise = planted(
  'server-draws-anew-when-started-again',
  'a trusted server that is started again has other randomness, and answers twice',
  ['federation/server-coins'],
  {
    joinTrusted: (options) => {
      servers += 1;
      const own = Uint8Array.from({ length: 32 }, (_, i) => (servers + i) % 256);
      return trustedFederation({
        ...options,
        silos: options.silos.map((silo, i) => (i === 0 ? { ...silo, share: own } : silo)),
      });
    },
  },
);
export const oneNoiseForAQuery = planted(
  'server-draws-one-noise-for-a-query-asked-twice',
  'the noise of a trusted server depends on the words of a query, and not on its number',
  ['federation/server-coins'],
  {
    joinTrusted: (options) => {
      const inner = trustedFederation(options);
      const told = new Map<string, Answered>();
      return {
        ...inner,
        answer(index, query) {
          const said = inner.answer(index, query) as Answered;
          const first = told.get(said.digest);
          if (first !== undefined && query.ask === 'mean') return first;
          told.set(said.digest, { ...said, answer: structuredClone(said.answer) });
          return said;
        },
      };
    },
  },
);
export const serverUnnamed = planted(
  'trusted-server-not-among-assumptions',
  'certificates do not say that the server was trusted',
  ['federation/server-charges'],
  {
    raw: (options) => {
      const silo = rawSilo(options);
      return { ...silo, facts: { ...silo.facts, assumptions: [] } };
    },
  },
);
export const noAgreement = planted(
  'silo-answers-any-query',
  'a silo answers whatever it is asked, up to its limit',
  ['federation/hostile-servers'],
  {
    hold: (options) => {
      const silo = siloCurator(options);
      const { data, registry, agreement, random } = options;
      const free = centralCurator({
        data,
        registry,
        run: agreement.run,
        ...(random === undefined ? {} : { random }),
      });
      return { ...silo, answer: (index, query) => free.answer(index, query) };
    },
  },
);
export const onlyPointsRead = planted(
  'silo-reads-points-of-query-alone',
  'of a query that is not that of the plan only the points are looked at',
  ['federation/hostile-servers'],
  {
    hold: held((silo) => ({
      answer: (index: number, query: Query) => silo.answerAt(index, pointsOf(query)),
    })),
  },
);
export const oldAnswerForOtherPoints = planted(
  'stored-answer-for-other-points',
  'the last answer is sent again, whatever it is asked about',
  ['federation/hostile-servers'],
  {
    hold: held((silo) => {
      let last: { readonly index: number; readonly said: Answered } | undefined;
      return {
        answer(index: number, query: Query) {
          if (last?.index === index) return last.said;
          last = { index, said: silo.answer(index, query) };
          return last.said;
        },
      };
    }),
  },
);
export const forgottenSum = planted(
  'place-of-silo-without-sum',
  'a silo stores its place without the sum of its increments',
  ['federation/agreed-runs'],
  {
    hold: held((silo) => ({
      place() {
        const place = silo.place();
        return place === null ? null : { ...place, sum: null };
      },
    })),
  },
);
export const noGaps = planted(
  'silo-refuses-after-missed-round',
  'a silo that missed a round answers no other',
  ['federation/missed-queries'],
  {
    hold: held((silo) => ({
      answerAt(index: number, points: readonly Float64Array[]) {
        if (index > (silo.place()?.index ?? -1) + 1) throw new Error('a round was missed');
        return silo.answerAt(index, points);
      },
    })),
  },
);
export const ignoredFactors = planted(
  'noise-factors-of-silos-ignored',
  'all silos have the noise of factor 1',
  ['federation/noise-factors'],
  {
    join: through((silo) => ({
      ...silo,
      answer(index, query) {
        if (query.ask !== 'open') return silo.answer(index, query);
        const { noiseFactors: _noiseFactors, ...rest } = query;
        return silo.answer(index, rest);
      },
    })),
  },
);
