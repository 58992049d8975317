/** Plain data as a caller may hold them. */
type Plain = unknown;
type Fields = Record<string, unknown>;

const isArray = (value: unknown): value is Float64Array | Uint32Array =>
  value instanceof Float64Array || value instanceof Uint32Array;
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** A deep copy that shares no memory. */
export function copyOf<T>(value: T): T {
  if (isArray(value)) return value.slice() as T;
  if (Array.isArray(value)) return value.map(copyOf) as T;
  return isObject(value)
    ? (Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, copyOf(inner)])) as T)
    : value;
}

const others: Readonly<Record<string, string>> = {
  'laws/gaussian': 'laws/silent',
  'laws/own-gaussian': 'laws/own-silent',
  'laws/opaque-ball': 'laws/ball',
  'laws/increments': 'laws/prefixes',
  shuffled: 'stored',
};
/** Another number that may stand in the same place: a sum of shares stays a share, a count a count. */
const otherNumber = (value: number): number => {
  if (value === 1) return 1;
  return Number.isInteger(value) && value > 1 ? value - 1 : value * 0.75;
};

/** Fields with only one valid value. */
const fixedFields: ReadonlySet<string> = new Set(['v', 'dimension', 'norm']);

/** The same query with other numbers, names and entries in every field that allows them. */
export function changed<T>(value: T): T {
  if (isArray(value))
    return (
      value instanceof Uint32Array
        ? value.map((entry) => (entry > 1 ? entry - 1 : entry))
        : value.map((entry) => entry + 1)
    ) as T;
  if (Array.isArray(value)) return value.map(changed) as T;
  if (typeof value === 'number') return otherNumber(value) as T;
  if (typeof value === 'string') return (others[value] ?? value) as T;
  return isObject(value)
    ? (Object.fromEntries(
        Object.entries(value).map(([name, inner]) => [name, fixedFields.has(name) ? inner : changed(inner)]),
      ) as T)
    : value;
}

/** Writes the values of `from` into all writable fields of `into`: numbers, names, and entries of arrays. */
export function overwrite(into: Plain, from: Plain): void {
  if (isArray(into)) {
    into.set(from as Float64Array);
    return;
  }
  if (!isObject(into)) return;
  for (const [name, inner] of Object.entries(from as Fields)) {
    const own = (into as Fields)[name];
    if (isObject(own)) overwrite(own, inner);
    else if (!Object.isFrozen(into)) (into as Fields)[name] = inner;
  }
}

/**
 * Freezes every object that contains objects, so that only the innermost, such as parameters, are writable.
 */
export function freezeOuter<T>(value: T): T {
  if (!isObject(value) || isArray(value)) return value;
  Object.values(value).forEach(freezeOuter);
  return Object.values(value).some(isObject) ? Object.freeze(value) : value;
}

/** Makes an object whose fields read `first` at the first reading and `then` at every later one. */
type Make = (first: Plain, then: Plain) => Plain;

/** Every field is an accessor with another value at the second reading. */
const accessors: Make = (first, then) =>
  rebuilt(first, then, (keys, firsts, thens, isList) => {
    const made: object = isList ? [] : {};
    for (const key of keys) {
      let readings = 0;
      Object.defineProperty(made, key, {
        enumerable: true,
        configurable: true,
        get: () => (readings++ === 0 ? firsts[key] : thens[key]),
      });
    }
    return made;
  });

/** Every object and list is a Proxy with other fields and length at the second reading. */
const proxies: Make = (first, then) =>
  rebuilt(first, then, (keys, firsts, thens, isList) => {
    const target = (isList ? keys.map((key) => firsts[key]) : { ...firsts }) as Fields;
    const seen = new Set<PropertyKey>();
    return new Proxy(target, {
      get(at, key, receiver) {
        if (typeof key !== 'string' || !Object.hasOwn(target, key))
          return Reflect.get(at, key, receiver) as unknown;
        const again = seen.has(key);
        seen.add(key);
        if (key === 'length' && isList) return again ? keys.length + 1 : keys.length;
        return again ? thens[key] : firsts[key];
      },
    });
  });

/** Walks both values at once; number arrays are passed unchanged. */
function rebuilt(
  first: Plain,
  then: Plain,
  make: (keys: readonly string[], firsts: Fields, thens: Fields, isList: boolean) => object,
): Plain {
  if (!isObject(first) || isArray(first)) return first;
  const keys = Object.keys(first);
  const other = then as Fields;
  const firsts = Object.fromEntries(
    keys.map((key) => [key, rebuilt((first as Fields)[key], other[key], make)]),
  );
  return make(keys, firsts, Object.fromEntries(keys.map((key) => [key, other[key]])), Array.isArray(first));
}

/** Arrays in shared memory with overridden length, slice, iterator and entries, different from the memory. */
const pretending: Make = (first) => {
  if (isArray(first)) {
    const memory = new SharedArrayBuffer(first.byteLength);
    const array = first instanceof Float64Array ? new Float64Array(memory) : new Uint32Array(memory);
    array.set(first);
    const pretence =
      first instanceof Float64Array ? new Float64Array(first.length + 1) : new Uint32Array(first.length + 1);
    for (const [name, value] of Object.entries({
      length: first.length + 1,
      byteLength: 0,
      byteOffset: 8,
      buffer: pretence.buffer,
      slice: () => pretence,
      subarray: () => pretence,
      map: () => pretence,
    }))
      Object.defineProperty(array, name, { value });
    Object.defineProperty(array, Symbol.iterator, { value: () => pretence[Symbol.iterator]() });
    Object.defineProperty(array, 'constructor', { value: Uint8Array });
    return array;
  }
  if (Array.isArray(first)) return first.map((inner) => pretending(inner, inner));
  return isObject(first)
    ? Object.fromEntries(Object.entries(first).map(([name, inner]) => [name, pretending(inner, inner)]))
    : first;
};

/**
 * Plain fields except for arrays of numbers; reading an array
 * makes the next reading of another field overwrite it.
 */
const writing: Make = (first, then) => {
  const read: (() => void)[] = [];
  const walk = (value: Plain, other: Plain): Plain => {
    if (!isObject(value) || isArray(value)) return value;
    const made: object = Array.isArray(value) ? [] : {};
    for (const [key, inner] of Object.entries(value)) {
      const later = (other as Fields)[key];
      const own = isArray(inner) ? inner.slice() : walk(inner, later);
      Object.defineProperty(made, key, {
        enumerable: true,
        configurable: true,
        get() {
          read.splice(0).forEach((write) => {
            write();
          });
          if (isArray(own))
            read.push(() => {
              (own as Float64Array).set(later as Float64Array);
            });
          return own;
        },
      });
    }
    return made;
  };
  return walk(first, then);
};

/** Objects that change between readings, made of a query and its later form. */
export const hostile: Readonly<Record<string, Make>> = {
  'accessors that count': accessors,
  'proxies that count': proxies,
  'arrays with overridden methods, on shared memory': pretending,
  'arrays overwritten while the rest is read': writing,
};
