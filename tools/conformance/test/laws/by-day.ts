import { lawsFor, type SubjectKind } from '@lethe/laws';
import type { Runner } from '@lethe/laws/vitest';

/** What a suite tries in part by day, beside later examples. */
export interface Parts {
  /** Laws in which an adjacency changes a scale alone, or sizes: one adjacency for each subject, in turn. */
  readonly alike?: readonly string[];
  /** Subjects that are tried as later examples are. */
  readonly further?: readonly string[];
}

/** One test of a suite, before it is chosen. */
interface Planned {
  readonly title: string;
  readonly law: string;
  readonly declare: () => void;
}

const adjacency = /(?:add-remove|replace-one|zero-out)(?!.*(?:add-remove|replace-one|zero-out))/u;
const suite = /^laws of (?<kind>\w+) (?<name>[^;]*)/u;
const example = /#(?<number>\d+)/u;

/**
 * A runner that leaves part of a suite to the night. The first example of a plugin is tried in full. Each
 * other one is tried under one adjacency, and by half of the laws that sample, in turn.
 */
export function byDay(runner: Runner, { alike = [], further = [] }: Parts): Runner {
  let turn = 0;
  let planned: Planned[] = [];
  return {
    ...runner,
    describe: (title, body) =>
      runner.describe(title, () => {
        planned = [];
        body();
        const { kind = '', name = '' } = suite.exec(title)?.groups ?? {};
        const number = further.includes(name) ? 2 : Number(example.exec(name)?.groups?.['number'] ?? 1);
        const chosen = inTurn(planned, { kind: kind as SubjectKind, number, alike, turn: turn++ });
        for (const { declare } of chosen) declare();
        const left = planned.filter((one) => !chosen.includes(one));
        for (const one of left) runner.note?.(`${one.title}: not checked (left to the night)`);
      }),
    it: (title, body, timeout) => {
      planned.push({
        title,
        law: title.split(' › ')[0],
        declare: () => void runner.it(title, body, timeout),
      });
    },
  };
}

/** The suite of one subject: its kind, the number of its example, and how many suites came before. */
interface Suite {
  readonly kind: SubjectKind;
  readonly number: number;
  readonly alike: readonly string[];
  readonly turn: number;
}

function inTurn(planned: readonly Planned[], { kind, number, alike, turn }: Suite): readonly Planned[] {
  const cellOf = ({ title }: Planned): string => title.replace(adjacency, '');
  const cells = new Map<string, Planned[]>();
  for (const one of planned) cells.set(cellOf(one), [...(cells.get(cellOf(one)) ?? []), one]);
  const sampling = lawsFor(kind)
    .filter(({ tier }) => tier === 'statistical')
    .map(({ id }) => String(id));
  return planned.filter((one) => {
    const { law } = one;
    if (number === 1 && !alike.includes(law)) return true;
    if (number > 1 && sampling.includes(law) && (sampling.indexOf(law) + number) % 2 === 1) return false;
    const under = cells.get(cellOf(one)) ?? [one];
    return under[turn % under.length] === one;
  });
}
