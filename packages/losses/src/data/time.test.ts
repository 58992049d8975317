import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseInstant, timePartOf, timePartPeriod, type TimePart } from './time.js';

const instants = fc.date({
  min: new Date('0001-01-01T00:00:00Z'),
  max: new Date('9999-12-31T23:59:59Z'),
  noInvalidDate: true,
});

describe('parseInstant', () => {
  it('reads back what the platform writes', () => {
    fc.assert(
      fc.property(instants, (date) => {
        expect(parseInstant(date.toISOString())).toBe(date.getTime());
      }),
    );
  });

  it.each([
    ['2001/01/01 06:55', Date.UTC(2001, 0, 1, 6, 55)],
    ['2001-01-01T06:55+01:30', Date.UTC(2001, 0, 1, 5, 25)],
    ['2001-01-01T06:55-0130', Date.UTC(2001, 0, 1, 8, 25)],
    ['2004-02-29', Date.UTC(2004, 1, 29)],
    ['1969-12-31T23:59:59.25', -750],
  ])('reads %s', (text, expected) => {
    expect(parseInstant(text)).toBe(expected);
  });

  it.each([
    '',
    '2001',
    '2001-13-01',
    '2001-02-29',
    '2001-00-10',
    '2001-01-01T24:00',
    '2001-01-01T12:60',
    '01/02/2001',
    '2001-01-01x',
    'x'.repeat(1e6),
  ])('refuses %.20s', (text) => {
    expect(parseInstant(text)).toBeNaN();
  });
});

describe('timePartOf', () => {
  it('is the platform’s calendar', () => {
    const date = new Date('2001-03-25T08:33:30Z');
    const part = (name: TimePart): number => timePartOf(date.getTime(), name);
    expect(part('hour')).toBe(8);
    expect(part('minute-of-day')).toBe(513.5);
    expect(part('weekday')).toBe(0);
    expect(part('day-of-month')).toBe(25);
    expect(part('month')).toBe(2);
    expect(part('day-of-year')).toBe(83);
    expect(part('days')).toBe(Date.UTC(2001, 2, 25) / 864e5 + 513.5 / 1440);
  });

  it.each([
    ['0004-12-31', 365],
    ['1900-12-31', 364],
    ['2000-03-01', 60],
    ['2001-03-01', 59],
  ])('counts %s as day %i of its year', (text, expected) => {
    expect(timePartOf(parseInstant(text), 'day-of-year')).toBe(expected);
  });

  it('stays inside its period for every instant, early ones too', () => {
    const parts = Object.keys(timePartPeriod) as TimePart[];
    fc.assert(
      fc.property(
        fc.oneof(
          instants.map((date) => date.getTime()),
          fc.integer({ min: -8.64e15, max: 8.64e15 }),
          fc.constantFrom(-8.64e15, 8.64e15, -1, -0.5),
        ),
        fc.constantFrom(...parts),
        (instant, part) => {
          const value = timePartOf(instant, part);
          if (part === 'days') expect(value).toBe(instant / 864e5);
          else {
            expect(value).toBeGreaterThanOrEqual(part === 'day-of-month' ? 1 : 0);
            expect(value).toBeLessThan(timePartPeriod[part] + (part === 'day-of-month' ? 1 : 0));
          }
        },
      ),
    );
  });
});
