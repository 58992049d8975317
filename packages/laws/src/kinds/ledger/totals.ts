import { canonicalJson, Corrupt, LetheError } from '@lethe/core';
import fc from 'fast-check';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { costOf, equal, pureOf, renyiOf } from './model.js';
import { deeds, drawnTwice, drawnWithin, keyOf, play, rootOf, twoReleases, type Scene } from './scenes.js';
import { shown } from '../../law/report.js';

/** The cost of a run, or of all, against the model. */
export function costs({ ledger, model }: Scene, after: string, run?: string): Violation | undefined {
  const event = run === undefined ? ledger.total() : ledger.spentBy(run), expected = costOf(model, run);
  for (const [name, measure] of [['ε', pureOf], ['Rényi divergence of order 3', renyiOf]] as const) {
    const measured = measure(event), allowed = measure(expected);
    if (equal(measured, allowed)) continue;
    return { what: `${after}, ${run === undefined ? 'all runs have' : `${run} has`} spent ${name} = ${allowed} slot by slot; the ledger says ${measured}, ${measured < allowed ? 'too little' : 'too much'}: ${shown(event, 300)}`, measured, allowed };
  }
  return undefined;
}

export const total = defineLaw<'ledger'>({
  id: 'ledger/total', kind: 'ledger', tier: 'search', invariant: 'I-0',
  statement: 'the total is, over slots, the largest composition of all that was charged to stretches that hold the slot, spaces below standing for their own cost, amplified where they were drawn: nothing charged is left out, nothing added',
  power: 'any cost off by 1e-9 within 14 steps, on 1 of 60 sequences; two releases charged once at the first',
  check: (subject, { forAll }) => forAll(deeds, (sequence) => play(subject, sequence, costs), { runs: 50, examples: [twoReleases, drawnTwice, drawnWithin] }),
});

export const spentBy = defineLaw<'ledger'>({
  id: 'ledger/spent-by', kind: 'ledger', tier: 'search',
  statement: 'what one run has spent is the cost of its own charges alone; an unknown run is Corrupt',
  power: 'any cost off by 1e-9 within 14 steps, on 1 of 40 sequences',
  check: (subject, { forAll }) => forAll(deeds, (sequence) => play(subject, sequence, (scene, after) => {
    for (const run of scene.model.runs.keys()) {
      const violation = costs(scene, after, run);
      if (violation) return violation;
    }
    try { return { what: `an unknown run has spent ${shown(scene.ledger.spentBy('a run that never was'))}; expected Corrupt` }; } catch (error) {
      return error instanceof Corrupt ? undefined : { what: `an unknown run: expected Corrupt, it throws ${String(error)}` };
    }
  }), { runs: 30, examples: [twoReleases, drawnTwice, drawnWithin] }),
});

export const growing = defineLaw<'ledger'>({
  id: 'ledger/never-less', kind: 'ledger', tier: 'search',
  statement: 'whatever is done, what was spent stays spent: the total never falls, not by closing, ending or opening again',
  power: 'any fall by 1e-9 within 14 steps, on 1 of 40 sequences',
  check: (subject, { forAll }) => forAll(deeds, (sequence) => {
    let most = 0;
    return play(subject, sequence, ({ ledger }, after) => {
      const now = pureOf(ledger.total());
      if (!(now >= most * (1 - 1e-9))) return { what: `${after} the total is ε = ${now}; it was ${most} before`, measured: now, allowed: most };
      most = Math.max(most, now);
      return undefined;
    });
  }, { runs: 30, examples: [twoReleases, drawnTwice, drawnWithin] }),
});

/** Runs, their order, their keys, their entries and whether they are over. */
export function records({ ledger, model }: Scene, after: string): Violation | undefined {
  const names = [...model.runs.keys()];
  if (shown(ledger.runs()) !== shown(names)) return { what: `${after} its runs are ${shown(ledger.runs())}; they were opened as ${shown(names)}` };
  for (const [name, { entries, key, ended }] of model.runs) {
    const found = ledger.openRun(name, rootOf('another root'));
    if (keyOf(found.random.key()) !== key) return { what: `${after} ${name}, opened again, has another key than it was opened with` };
    if (found.ended() !== ended) return { what: `${after} ${name} is ${found.ended() ? 'over although it was not ended' : 'not over although it was ended'}` };
    if (canonicalJson([...found.entries]) !== canonicalJson(entries)) return { what: `${after} the entries of ${name} are ${shown([...found.entries], 300)}; appended were ${shown(entries, 300)}` };
  }
  return undefined;
}

export const recorded = defineLaw<'ledger'>({
  id: 'ledger/records', kind: 'ledger', tier: 'search',
  statement: 'a run that is opened again, by this process or a later one, is found with the key it had, its entries in order, and over if it was ended; runs are listed as they were opened',
  power: 'any difference within 14 steps, on 1 of 40 sequences',
  check: (subject, { forAll }) => forAll(deeds, (sequence) => play(subject, sequence, records), { runs: 30, examples: [twoReleases, drawnTwice, drawnWithin] }),
});

export const refused = defineLaw<'ledger'>({
  id: 'ledger/order', kind: 'ledger', tier: 'search',
  statement: 'an entry out of turn, of a run that was not opened, or about a space that is not there is Corrupt, and nothing of it is written or charged; the right entry goes in afterwards',
  power: 'certain for each kind of wrong entry',
  check: (subject, { forAll }) => forAll(fc.record({ sequence: deeds, wrong: fc.constantFrom('skipped', 'repeated', 'negative', 'unknown run', 'unknown space', 'closed twice', 'opened twice') }), ({ sequence, wrong }) => {
    let last: Scene | undefined;
    const violation = play(subject, [{ do: 'charge', run: 0, space: 0, from: 0, length: 8, scale: 1 }, { do: 'open a space', run: 0, space: 0, from: 0, length: 8, rate: 0.5 }, ...sequence.filter((deed) => deed.do !== 'end' && deed.do !== 'close a space')], (scene) => { last = scene; return undefined; });
    if (violation) return violation;
    const scene = last!, { entries } = scene.model.runs.get('run-0')!;
    const next = entries.length, before = keyOf(scene.store.read()), spent = pureOf(scene.ledger.total());
    const on = { space: wrong === 'unknown space' ? 'nowhere' : 'all', from: 0, to: 1 };
    const charge = { on, event: { kind: 'core/pure', v: 1, epsilon: 1 } as never };
    const first = entries.find(({ effect }) => effect.space !== undefined)!.effect.space!;
    const entry = {
      run: wrong === 'unknown run' ? 'never opened' : 'run-0', index: wrong === 'skipped' ? next + 1 : wrong === 'repeated' ? next - 1 : wrong === 'negative' ? -1 : next, digest: 'wrong',
      effect: wrong === 'closed twice' ? { closes: ['nowhere'] } : wrong === 'opened twice' ? { space: first } : { charge },
    };
    try {
      scene.ledger.append(entry);
      return { what: `an entry that is ${wrong} is accepted; expected Corrupt`, input: entry };
    } catch (error) {
      if (!(error instanceof LetheError)) return { what: `an entry that is ${wrong}: expected Corrupt, it throws ${String(error)}`, input: entry };
      if (!(error instanceof Corrupt)) return { what: `an entry that is ${wrong}: expected Corrupt, it says ${error.name}: ${error.message}`, input: entry };
    }
    if (keyOf(scene.store.read()) !== before) return { what: `an entry that is ${wrong} was refused, and written all the same`, input: entry };
    if (!equal(pureOf(scene.ledger.total()), spent)) return { what: `an entry that is ${wrong} was refused, and charged all the same`, input: entry, measured: pureOf(scene.ledger.total()), allowed: spent };
    scene.ledger.append({ run: 'run-0', index: next, digest: 'right', effect: {} });
    scene.ledger = subject.open(scene.options);
    return undefined;
  }, { runs: 20, examples: (['skipped', 'repeated', 'negative', 'unknown run', 'unknown space', 'closed twice', 'opened twice'] as const).map((wrong) => ({ sequence: [{ do: 'reopen' as const }], wrong })) }),
});
