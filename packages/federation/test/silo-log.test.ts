import { memoryStore } from '@lethe/core';
import { describe, expect, it } from 'vitest';
import { digestOf, openSiloLog, type SiloLog, type StoredAnswer } from '../src/silo-log.js';

const said = (log: SiloLog) => ({
  asked: log.asked(),
  begun: log.begun(),
  signed: log.signed(),
  last: log.last(),
  withdrawn: [1, 2, 3].map((i) => log.isWithdrawn(Uint8Array.of(i))),
});

describe('the log of a silo', () => {
  it('says the same when it is opened again, and after it was written anew', () => {
    const store = memoryStore();
    const log = openSiloLog(store);
    expect(said(log)).toEqual({
      asked: null,
      begun: null,
      signed: -1,
      last: null,
      withdrawn: [false, false, false],
    });
    log.begin({ round: 0, attempt: 2 });
    log.sign(0);
    for (let i = 0; i < 16; i++) log.withdraw(Uint8Array.of(1 + (i % 2)));
    // So large that the line after it has the log written anew.
    log.ask({ index: 4, body: new Uint8Array(2 ** 24) });
    log.ask({ index: 4, body: Uint8Array.of(7) });
    expect(store.read().length).toBeLessThan(2 ** 16);
    const expected = {
      asked: { index: 4, body: Uint8Array.of(7) },
      begun: { round: 0, attempt: 2 },
      signed: 0,
      last: null,
      withdrawn: [true, true, false],
    };
    expect(said(log)).toEqual(expected);
    expect(said(openSiloLog(store))).toEqual(expected);
    const place = { index: 4, answered: 1, points: [], sum: null, point: Uint8Array.of(9) };
    log.answered({ place, answer: Uint8Array.of(5) } as unknown as StoredAnswer);
    for (const one of [log, openSiloLog(store)])
      expect(said(one)).toMatchObject({ asked: null, last: { place: { point: Uint8Array.of(9) } } });
  });

  it('tells queries apart by the names of their points', () => {
    const names = Uint8Array.of(1, 2);
    expect(digestOf(names)).toEqual(digestOf(names.slice()));
    expect(digestOf(Uint8Array.of(1, 3))).not.toEqual(digestOf(names));
    expect(digestOf(new Uint8Array(0))).not.toEqual(digestOf(names));
  });
});
