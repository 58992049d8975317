import { accountants, bestOf } from '@lethe/accountants';
import { drive, eventKindsOf, InvalidParameter } from '@lethe/core';
import { openLedger } from '@lethe/curator';
import { federation, type Link } from '@lethe/curator/federation';
import { encode } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import { framesOf, kinds } from '../src/frame.js';
import { pairKeys } from '../src/frame-keys.js';
import {
  endAtSilo,
  publicIdentity,
  refusalOf,
  toldBySiloLog,
  type RefusalCode,
  type SiloEvent,
} from '../src/index.js';
import { endText } from '../src/plan.js';
import { noPlan, noRun, stranger } from '../src/silo.js';
import { identityOf, opening, publicCoins, registry, remotes, worldOf, type World } from './support/world.js';

const reason = 'another silo refuses';
const accountant = bestOf(accountants, eventKindsOf(registry));
/** Room for one run, by the filter too. */
const limit = { epsilon: 1.3, delta: 1e-6, accountant };
const ledgerOf = (world: World) =>
  openLedger({ adjacency: 'replace-one', store: world.stores[0].ledger, limit });
const hasRoom = (world: World): boolean => {
  try {
    ledgerOf(world).assertAffordable(world.run.plan.event);
    return true;
  } catch {
    return false;
  }
};
const reach = (world: World, link: Link) => ({
  link,
  identity: world.server,
  siloKey: world.silos[0].public,
  attempts: 1,
});
const codeOf = async (failing: Promise<unknown>): Promise<RefusalCode | undefined> =>
  refusalOf(
    await failing.then(
      () => null,
      (error: unknown) => error,
    ),
  );

describe('an end of a run', () => {
  it('releases what was not answered, before the first answer all of it, and holds after a restart', async () => {
    const world = worldOf({ silos: 1, limit });
    const service = world.service(0);
    await remotes(world, [service]);
    expect(hasRoom(world)).toBe(false);
    expect(await endAtSilo(world.sealed, 'silo-0', reach(world, service), reason)).toMatchObject({
      kind: 'core/free',
    });
    expect(hasRoom(world)).toBe(true);
    expect(service.agreed()).toBe(null);
    // The plan that comes again, late or by a thief of messages, is refused, also by a new process.
    for (const again of [service, world.service(0)])
      expect(await codeOf(remotes(world, [again], { attempts: 1 }))).toBe('ended');
    expect(ledgerOf(world).runs()).toHaveLength(1);
  });

  it('keeps what was answered charged, and nothing is answered after it', async () => {
    const world = worldOf({ silos: 1, limit });
    const service = world.service(0);
    const [silo] = await remotes(world, [service]);
    const asked: Parameters<typeof silo.answer>[] = [];
    const watched = {
      ...silo,
      answer(...query: Parameters<typeof silo.answer>) {
        asked.push(query);
        if (asked.length === 4) throw new Error('enough');
        return silo.answer(...query);
      },
    };
    const driving = { start: world.start, random: publicCoins() };
    await expect(drive(world.run, federation({ silos: [watched] }), driving)).rejects.toThrow('enough');
    const before = ledgerOf(world).total();
    const spent = await silo.end(reason);
    expect(spent).toStrictEqual(before);
    expect(ledgerOf(world).standing(world.plan.agreement.run)).toMatchObject({
      ended: true,
      reserved: null,
      counts: before,
    });
    // The last answer neither, which is stored, nor the next.
    for (const query of asked.slice(-2)) expect(await codeOf(silo.answer(...query))).toBe('ended');
    expect(await silo.end(reason)).toStrictEqual(spent);
  });

  it('that a crash has cut between ledger and log is found at the ledger, and told again', async () => {
    const world = worldOf({ silos: 1, limit });
    let isFull = false;
    const { log } = world.stores[0];
    const store = {
      ...log,
      append(bytes: Uint8Array) {
        if (isFull) throw new Error('killed');
        log.append(bytes);
      },
    };
    const service = world.service(0, { store });
    await remotes(world, [service]);
    isFull = true;
    await expect(endAtSilo(world.sealed, 'silo-0', reach(world, service), reason)).rejects.toThrow(/store/u);
    expect(ledgerOf(world).standing(world.plan.agreement.run).ended).toBe(true);
    const events: SiloEvent[] = [];
    const again = world.service(0, { onEvent: (event) => events.push(event) });
    for (const _ of [1, 2])
      expect(await endAtSilo(world.sealed, 'silo-0', reach(world, again), reason)).toMatchObject({
        kind: 'core/free',
      });
    expect(events.filter(({ what }) => what === 'ended')).toHaveLength(1);
    expect(again.agreed()).toBe(null);
  });

  it.each(['before', 'after'])('frees a run that a crash cut %s its reservation', async (when) => {
    const world = worldOf({ silos: 1, limit });
    const { ledger } = world.stores[0];
    const service = world.service(0, {
      open(run) {
        if (when === 'after') opening(world, run, ledger);
        throw new Error('killed');
      },
    });
    await expect(remotes(world, [service], { attempts: 2 })).rejects.toThrow(/failed/u);
    expect(hasRoom(world)).toBe(when === 'before');
    const again = world.service(0);
    await endAtSilo(world.sealed, 'silo-0', reach(world, again), reason);
    expect(hasRoom(world)).toBe(true);
    expect(again.agreed()).toBe(null);
    expect(ledgerOf(world).standing(world.plan.agreement.run)).toMatchObject({ ended: true, reserved: null });
  });

  it('is taken from the server of the silo alone, with its signature of this plan and reason', async () => {
    const world = worldOf({ silos: 1 });
    const events: SiloEvent[] = [];
    const service = world.service(0, { onEvent: (event) => events.push(event) });
    await remotes(world, [service]);
    const keys = pairKeys(
      { own: world.server, other: world.silos[0].public, ownParty: 0, otherParty: stranger },
      noPlan,
      'frame',
    );
    const plan = world.sealed.digest;
    const send = async (body: object): Promise<void> => {
      const envelope = { flags: 0, from: 0, to: stranger, attempt: 0, round: 0, run: noRun, plan: noPlan };
      await service.request(framesOf({ ...envelope, kind: 'end' }, encode(body), keys.sent));
    };
    const signed = (text: Uint8Array, by = world.server): Uint8Array => by.sign(text);
    await send({ plan, reason, signature: new Uint8Array(64) });
    await send({ plan, reason });
    await send({ plan, reason, signature: signed(endText(plan, 'other')) });
    await send({ plan, reason, signature: signed(endText(plan, reason), identityOf('someone')) });
    expect(events.slice(-4).map((event) => event.what === 'refused' && event.code)).toStrictEqual(
      Array.from({ length: 4 }, () => 'wrong-signature'),
    );
    expect(service.agreed()).not.toBe(null);
    await send({ plan, reason, signature: signed(endText(plan, reason)) });
    expect(events.at(-1)).toMatchObject({ what: 'ended', reason, run: { answered: 0 } });
  });

  it('takes back a plan that an owner is still asked about', async () => {
    const world = worldOf({ silos: 1 });
    const events: SiloEvent[] = [];
    let isOver = false;
    const more = {
      onEvent: (event: SiloEvent) => events.push(event),
      confirm: (_: unknown, over: AbortSignal) =>
        new Promise<boolean>((resolve) => {
          over.addEventListener('abort', () => {
            isOver = true;
            resolve(true);
          });
        }),
    };
    const service = world.service(0, more);
    expect(await codeOf(remotes(world, [service], { attempts: 1 }))).toBe(undefined);
    expect(await endAtSilo(world.sealed, 'silo-0', reach(world, service), reason)).toBe(null);
    expect([isOver, events.at(-1)]).toStrictEqual([true, { what: 'withdrawn', reason }]);
    for (const again of [service, world.service(0, more)])
      expect(await codeOf(remotes(world, [again], { attempts: 1 }))).toBe('ended');
    expect(world.stores[0].ledger.read()).toHaveLength(0);
  });

  it('by the owner on the ledger holds at the silo', async () => {
    const world = worldOf({ silos: 1, limit });
    await remotes(world, [world.service(0)]);
    ledgerOf(world).endRun(world.plan.agreement.run);
    expect(await codeOf(remotes(world, [world.service(0)]))).toBe('ended');
    expect(world.service(0).agreed()).toBe(null);
    expect(hasRoom(world)).toBe(true);
  });

  // Ledger and log of one earlier state agree with one another: only the server knows of the answers.
  it.each(['the next query', 'the server that resumes', 'the word of the server', 'a run with gaps'])(
    'after both were restored releases nothing of what was answered: told by %s',
    async (by) => {
      const world = worldOf({ silos: 1, limit, gaps: by === 'a run with gaps' });
      const { ledger, log } = world.stores[0];
      const [silo] = await remotes(world, [world.service(0)]);
      const old = [ledger.read(), log.read()];
      const asked: Parameters<typeof silo.answer>[] = [];
      const answer = (...query: Parameters<typeof silo.answer>) => {
        asked.push(query);
        if (asked.length === 6) throw new Error('enough');
        return silo.answer(...query);
      };
      const driving = { start: world.start, random: publicCoins() };
      const curator = federation({ silos: [{ ...silo, answer }] });
      await expect(drive(world.run, curator, driving)).rejects.toThrow('enough');
      ledger.replace(old[0]);
      log.replace(old[1]);
      const service = world.service(0);
      const [again] = await remotes(world, [service]);
      const link = reach(world, service);
      if (by === 'the next query') {
        const error = codeOf(again.answer(...asked[5]));
        expect(await error).toBe('skipped-round');
        // Ended at once, so that a server that crashes now cannot make it release anything.
        expect(service.agreed()).toBe(null);
        await endAtSilo(world.sealed, 'silo-0', reach(world, world.service(0)), reason);
      } else if (by === 'the server that resumes') {
        expect(await codeOf(again.replay(asked[4][0], asked[4][1], ''))).toBe('rolled-back');
        await again.end(reason);
      } else await endAtSilo(world.sealed, 'silo-0', link, reason, silo.recorded());
      expect(ledgerOf(world).standing(world.plan.agreement.run)).toMatchObject({
        ended: true,
        counts: world.run.plan.event,
      });
      expect(hasRoom(world)).toBe(false);
    },
  );

  // Copies that agree with one another: nothing in them says what was answered since.
  it.each([
    { copied: 'the plan in its log alone', gaps: false },
    { copied: 'the plan in its log alone', gaps: true },
    { copied: 'its first three answers', gaps: false },
    { copied: 'its first three answers', gaps: true },
    { copied: 'no plan', gaps: false },
  ])('comes where a silo is back with $copied (gaps: $gaps), and nothing is answered again', async (of) => {
    const { copied, gaps } = of;
    const world = worldOf({ silos: 1, limit, gaps });
    const { ledger, log } = world.stores[0];
    const copy = () => [ledger.read().slice(), log.read().slice()];
    let old = copy();
    let service = world.service(0, {
      open(run) {
        if (copied === 'the plan in its log alone') old = copy();
        return opening(world, run, ledger);
      },
    });
    const answers: Uint8Array[] = [];
    const link: Link = {
      async request(bytes) {
        const reply = await service.request(bytes);
        if (reply[4] === kinds.answer) answers.push(reply);
        if (answers.length === 3 && copied === 'its first three answers') old = copy();
        return reply;
      },
    };
    const [silo] = await remotes(world, [link]);
    const asked: Parameters<typeof silo.answer>[] = [];
    const answer = async (...query: Parameters<typeof silo.answer>) => {
      asked.push(query);
      if (asked.length === 6) throw new Error('enough');
      return await silo.answer(...query);
    };
    const driving = { start: world.start, random: publicCoins() };
    await expect(drive(world.run, federation({ silos: [{ ...silo, answer }] }), driving)).rejects.toThrow(
      'enough',
    );
    expect(answers).toHaveLength(5);
    for (const query of [4, 5]) {
      ledger.replace(old[0]);
      log.replace(old[1]);
      const events: SiloEvent[] = [];
      service = world.service(0, { onEvent: (event) => events.push(event) });
      const failure: unknown = await silo.answer(...asked[query]).catch((error: unknown) => error);
      expect(refusalOf(failure)).toBe('rolled-back');
      expect((failure as Error).message).toMatch(/silo 'silo-0'.*cannot go on/u);
      // A server that begins again with the plan gets no other answers to what is on its transcript.
      if (copied === 'no plan') {
        const [again] = await remotes(world, [link]);
        expect(await codeOf(again.replay(asked[0][0], asked[0][1], ''))).toBe('rolled-back');
        await again.end(reason);
      } else expect(events.map(({ what }) => what)).toContain('ended');
      expect(await codeOf(remotes(world, [link], { attempts: 1 }))).toBe('ended');
      expect(answers).toHaveLength(5);
      expect(ledgerOf(world).standing(world.plan.agreement.run)).toMatchObject({
        ended: true,
        counts: world.run.plan.event,
      });
    }
  });

  it('by a ledger that was rolled back releases nothing', async () => {
    const world = worldOf({ silos: 1, limit });
    expect(toldBySiloLog(world.stores[0].log)).toBe(null);
    const [silo] = await remotes(world, [world.service(0)]);
    const old = world.stores[0].ledger.read().slice();
    await drive(world.run, federation({ silos: [silo] }), { start: world.start, random: publicCoins() });
    const { run } = world.plan.agreement;
    const answered = ledgerOf(world).openRun(run, publicCoins()).entries.length;
    expect(toldBySiloLog(world.stores[0].log)).toStrictEqual({ run, answered });
    world.stores[0].ledger.truncate(old.length);
    expect(await codeOf(remotes(world, [world.service(0)]))).toBe('rolled-back');
    expect(ledgerOf(world).standing(world.plan.agreement.run)).toMatchObject({
      ended: true,
      counts: world.run.plan.event,
    });
    expect(hasRoom(world)).toBe(false);
  });
});

it('a key with any letter changed is refused, and a message says what is wrong with it', () => {
  const { text } = identityOf('checked').public;
  for (let i = 0; i < text.length; i++) {
    const changed = `${text.slice(0, i)}${text[i] === 'Q' ? 'w' : 'Q'}${text.slice(i + 1)}`;
    expect(() => publicIdentity(changed)).toThrow(InvalidParameter);
  }
  expect(() => publicIdentity(`${text.slice(0, -1)}${text.endsWith('Q') ? 'w' : 'Q'}`)).toThrow(
    /a letter of it/u,
  );
  expect(() => publicIdentity(text.slice(0, -2))).toThrow(/letters and not/u);
});
