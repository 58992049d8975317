import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromMessage, sizeWithPoint, withRequests } from '../src/with-point.js';

const subject = fc.stringMatching(/^[a-z.]{1,40}$/u);
const request = fc.record({ subject, reply: subject, frame: fc.uint8Array({ maxLength: 200 }) });
const requests = fc.array(request, { maxLength: 5 });
const piece = fc.uint8Array({ maxLength: 300 });

describe('a point and requests in one message', () => {
  it('every silo finds the piece and the first request to it, and no other finds one', () => {
    fc.assert(
      fc.property(piece, requests, subject, (sent, all, other) => {
        const bytes = withRequests(sent, all);
        expect(bytes.length).toBe(
          4 + sent.length + all.reduce((sum, one) => sum + (sizeWithPoint(one) ?? 0), 0),
        );
        for (const name of [other, ...all.map((one) => one.subject)]) {
          const first = all.find((one) => one.subject === name);
          expect(fromMessage(bytes, name)).toStrictEqual({
            piece: sent,
            request: first === undefined ? null : { reply: first.reply, frame: first.frame },
          });
        }
      }),
    );
  });

  it('other bytes are read without an error, and a message that is cut short has no request', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), subject, (bytes, own) => {
        const told = fromMessage(bytes, own);
        expect(told === null || told.piece.length <= bytes.length).toBe(true);
      }),
    );
    fc.assert(
      fc.property(piece, request, fc.nat(), (sent, one, cut) => {
        const bytes = withRequests(sent, [one]);
        const told = fromMessage(bytes.subarray(0, cut % bytes.length), one.subject);
        expect(told?.request ?? null).toBeNull();
      }),
    );
  });

  it('replies go to plain subjects alone', () => {
    const frame = Uint8Array.of(1);
    const hostile = ['', 'a b', 'a\r\nPUB b 0', 'a.*', 'a.>', 'x'.repeat(256), 'é'];
    const ofOthers = ['lethe.silo.a', 'lethe.points.a', '$JS.API.INFO', '$SYS.REQ.SERVER.PING'];
    for (const reply of [...hostile, ...ofOthers])
      expect(fromMessage(withRequests(frame, [{ subject: 's', reply, frame }]), 's')?.request).toBeNull();
    expect(
      fromMessage(withRequests(frame, [{ subject: 's', reply: '_INBOX.a.1', frame }]), 's')?.request,
    ).toStrictEqual({
      reply: '_INBOX.a.1',
      frame,
    });
    expect(sizeWithPoint({ subject: 's', reply: 'r', frame: new Uint8Array(70_000) })).toBeNull();
  });
});
