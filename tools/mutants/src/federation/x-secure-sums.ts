import type { Vector } from '@lethe/core';
import { addendSilo, heldAddendSilo, secureFederation } from '@lethe/curator/federation';
import { planted } from './plant.js';

export const sharesOfAll = planted(
  'noise-shares-counted-for-all-silos',
  'noise is drawn in as many shares as there are silos, whoever sides with the server',
  ['federation/addends'],
  {
    addend: (options) => {
      const silo = addendSilo({ ...options, corrupted: 0, survivors: options.silos });
      const { silos, corrupted, survivors } = options;
      return {
        ...silo,
        facts: { ...silo.facts, trust: { model: 'secure-aggregation', silos, corrupted, survivors } },
      };
    },
  },
);
export const divisorOfAll = planted(
  'secure-sum-divided-by-all-silos',
  'the sum of the silos that are there is divided by the records of all',
  ['federation/secure-sums'],
  {
    joinSecure: (options) => {
      const there = new Set<number>();
      const curator = secureFederation({
        ...options,
        silos: options.silos.map((silo, i) => ({
          ...silo,
          addendFor(index, query) {
            if (query.ask === 'push') there.delete(i);
            const said = silo.addendFor(index, query);
            if (query.ask === 'push') there.add(i);
            return said;
          },
        })),
      });
      return {
        ...curator,
        answer(index, query) {
          const said = curator.answer(index, query);
          if (query.ask !== 'push') return said;
          return {
            ...said,
            answer: (said.answer as Vector).map((one) => (one * there.size) / options.silos.length),
          };
        },
      };
    },
  },
);
export const sumsOfFew = planted(
  'secure-sum-of-fewer-survivors',
  'a sum of fewer silos than the plan needs is told',
  ['federation/secure-sums'],
  {
    joinSecure: (options) => {
      const running = options.silos.map(() => 0);
      const curator = secureFederation({
        ...options,
        silos: options.silos.map((silo, i) => ({
          ...silo,
          addendFor(index, query) {
            const said = silo.addendFor(index, query);
            if (query.ask === 'push') running[i] += (said.answer as Vector)[0];
            return said;
          },
        })),
      });
      return {
        ...curator,
        answer(index, query) {
          const before = [...running];
          const said = curator.answer(index, query);
          if (query.ask !== 'push') return said;
          const there = running.flatMap((one, i) => (one === before[i] ? [] : [one]));
          const isDead = (said.answer as Vector).every((one) => one === 0) && there.length > 0;
          const told = there.reduce((sum, one) => sum + one, 0);
          return isDead ? { ...said, answer: (said.answer as Vector).map(() => told) } : said;
        },
      };
    },
  },
);
export const silentAssumptions = planted(
  'honest-silos-not-among-assumptions',
  'the facts of silos of secure sums do not say what their cost rests on',
  ['federation/secure-membership'],
  {
    addend: (options) => {
      const silo = addendSilo(options);
      return { ...silo, facts: { ...silo.facts, assumptions: [] } };
    },
  },
);
export const curatorOfAddends = planted(
  'silo-of-secure-sums-is-curator',
  'a silo whose answers are private in sums alone answers like a curator',
  ['federation/secure-membership'],
  {
    addend: (options) => {
      const silo = addendSilo(options);
      const answering = { ...silo, answer: silo.addendFor };
      return answering;
    },
  },
);
export const nakedAddends = planted(
  'silo-tells-addend-outside-sum',
  'a silo held to an agreement answers increments outside secure sums',
  ['federation/secure-agreements'],
  {
    holdAddends: (options) => {
      const silo = heldAddendSilo(options);
      return {
        ...silo,
        answerAt(index, points) {
          if (!silo.isSummed(index)) return silo.answerAt(index, points);
          const { addend, digest } = silo.addendAt(index, points);
          return { answer: addend, digest };
        },
      };
    },
  },
);
export const addendOfIncrement = planted(
  'addend-is-increment',
  'a silo adds its last increment to a secure sum, and not its running sum',
  ['federation/secure-agreements'],
  {
    holdAddends: (options) => {
      const silo = heldAddendSilo(options);
      let before: Vector | null = null;
      return {
        ...silo,
        addendAt(index, points) {
          const said = silo.addendAt(index, points);
          const last = before;
          before = said.addend;
          return last === null ? said : { ...said, addend: said.addend.map((one, j) => one - last[j]) };
        },
      };
    },
  },
);
