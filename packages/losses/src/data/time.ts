/**
 * Parts of an instant that can be a feature, in UTC: their
 * period, so that they can be wrapped or drawn on a circle.
 */
export const timePartPeriod = {
  hour: 24,
  'minute-of-day': 1440,
  weekday: 7,
  'day-of-month': 31,
  month: 12,
  'day-of-year': 366,
  days: Infinity,
} as const;

/**
 * A part of an instant: `hour` 0–23, `minute-of-day` [0, 1440) with fractions, `weekday` 0–6 from Sunday,
 * `day-of-month` 1–31, `month` 0–11, `day-of-year` 0–365, `days` since 1970-01-01 with fractions.
 */
export type TimePart = keyof typeof timePartPeriod;

const day = 86_400_000;

/** Instants lie within ± this many milliseconds of 1970-01-01. */
export const largestInstant = 8.64e15;

/** The part of the instant `milliseconds` (since 1970-01-01 UTC, within ±8.64e15). */
export function timePartOf(milliseconds: number, part: TimePart): number {
  if (part === 'minute-of-day') return (((milliseconds % day) + day) % day) / 60_000;
  if (part === 'days') return milliseconds / day;
  const date = new Date(milliseconds);
  switch (part) {
    case 'hour':
      return date.getUTCHours();
    case 'weekday':
      return date.getUTCDay();
    case 'day-of-month':
      return date.getUTCDate();
    case 'month':
      return date.getUTCMonth();
    case 'day-of-year':
      return dayOfYear(date);
  }
}

/**
 * Counted in a year of the same length, since `Date.UTC` moves the years 0–99 and fails at the ends of time.
 */
function dayOfYear(date: Date): number {
  const year = date.getUTCFullYear();
  const like = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 2000 : 2001;
  return (Date.UTC(like, date.getUTCMonth(), date.getUTCDate()) - Date.UTC(like, 0, 1)) / day;
}

const pattern =
  /^(\d{4})[-/](\d{2})[-/](\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?)?(Z|[+-]\d{2}:?\d{2})?$/;

/**
 * Milliseconds since 1970-01-01 UTC of `2001-03-25`, `2001/03/25 08:33`, `2001-03-25T08:33:00.5Z`, `…+01:00`;
 * NaN for anything else. Unlike `Date.parse` it does not depend on the machine's time zone.
 */
export function parseInstant(text: string): number {
  const match = text.length > 40 ? null : pattern.exec(text.trim());
  if (match === null) return NaN;
  const [year, month, date, hour, minute, second] = match
    .slice(1, 7)
    .map((digits) => Number(digits ?? 0)) as [number, number, number, number, number, number];
  const calendar = new Date(0);
  calendar.setUTCFullYear(year, month - 1, date);
  if (
    calendar.getUTCMonth() !== month - 1 ||
    calendar.getUTCDate() !== date ||
    hour > 23 ||
    minute > 59 ||
    second > 59
  )
    return NaN;
  const milliseconds = Number(`0.${match[7] ?? 0}`) * 1000;
  const offset = zoneMinutes(match[8]);
  return calendar.getTime() + ((hour * 60 + minute - offset) * 60 + second) * 1000 + milliseconds;
}

function zoneMinutes(zone: string | undefined): number {
  if (zone === undefined || zone === 'Z') return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2));
  return zone.startsWith('-') ? -minutes : minutes;
}
