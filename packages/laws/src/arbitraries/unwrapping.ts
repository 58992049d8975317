import fc, { Arbitrary, Stream, Value, type Random } from 'fast-check';

/** Shrinking context: the value's own context; after it, values inside are tried. */
interface Inside {
  readonly own: unknown;
}

/** A subclass, because fast-check has no other extension point for shrinking. */
class Unwrapping<T> extends Arbitrary<T> {
  readonly #outer: Arbitrary<T>;
  readonly #inside: (value: T) => readonly T[];

  constructor(outer: Arbitrary<T>, inside: (value: T) => readonly T[]) {
    super();
    this.#outer = outer;
    this.#inside = inside;
  }

  generate(random: Random, bias: number | undefined): Value<T> {
    return withOwn(this.#outer.generate(random, bias));
  }

  canShrinkWithoutContext(value: unknown): value is T {
    return this.#outer.canShrinkWithoutContext(value);
  }

  shrink(value: T, context: unknown): Stream<Value<T>> {
    // Without a context the value comes from inside another one, with minimal parameters.
    const smaller =
      context === undefined
        ? Stream.nil<Value<T>>()
        : this.#outer.shrink(value, (context as Inside).own).map(withOwn);
    return smaller.join(
      fc.stream(
        this.#inside(value)
          .map((part) => new Value(part, undefined))
          .values(),
      ),
    );
  }
}

const withOwn = <T>(value: Value<T>): Value<T> =>
  new Value(value.value, { own: value.context } satisfies Inside);

/**
 * The same values; once minimal by themselves, they shrink to one
 * of the values `inside` them, which must be values of `outer` too.
 */
export const unwrapping = <T>(outer: Arbitrary<T>, inside: (value: T) => readonly T[]): Arbitrary<T> =>
  new Unwrapping(outer, inside);
