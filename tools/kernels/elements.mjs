import { locals, loopBelow, numbered, repeat, zero } from './wat.mjs';

const get = (name) => `(local.get $${name})`;
const splat = (name) => `(f64x2.splat ${get(name)})`;

/** Values two at a time, then the last of an odd number, which the pair's code takes with a lane of zero. */
const pairs = (body) => `
    (local.set $end (i32.add ${get('target')} (i32.shl (i32.and ${get('count')} (i32.const -2)) (i32.const 3))))
    ${loopBelow(
      'target',
      get('end'),
      16,
      body(`(v128.load ${get('target')})`, (value) => `(v128.store ${get('target')} ${value})`),
    )}
    (if (i32.and ${get('count')} (i32.const 1)) (then
      ${body(`(v128.load64_zero ${get('target')})`, (value) => `(v128.store64_lane 0 ${get('target')} ${value})`)}))`;

/** Values eight at a time, as far as they go, then {@link pairs}. Needs the local $whole. */
const eights = (body) => `
    (local.set $whole (i32.add ${get('target')} (i32.shl (i32.and ${get('count')} (i32.const -8)) (i32.const 3))))
    (local.set $count (i32.and ${get('count')} (i32.const 7)))
    ${loopBelow(
      'target',
      get('whole'),
      64,
      repeat(4, (k) =>
        body(
          `(v128.load offset=${16 * k} ${get('target')})`,
          (value) => `(v128.store offset=${16 * k} ${get('target')} ${value})`,
        ),
      ),
      'next_eight',
    )}
    ${pairs(body)}`;

/**
 * target[j] /= divisor; 1 if all results are finite. Of these alone, differences with themselves are 0. Eight
 * zeros in a row are passed over: sums of sparse rows are mostly zeros, and a division takes longer than all
 * the rest.
 */
const divide = `
  (func (export "divideInPlace") (param $target i32) (param $count i32) (param $divisor f64) (result i32)
    ${locals('i32', 'end', 'whole')} ${locals('v128', 'value', 'taint', 'by')}
    (local.set $taint ${zero})
    (local.set $by ${splat('divisor')})
    (local.set $whole (i32.add ${get('target')} (i32.shl (i32.and ${get('count')} (i32.const -8)) (i32.const 3))))
    (local.set $count (i32.and ${get('count')} (i32.const 7)))
    ${loopBelow(
      'target',
      get('whole'),
      64,
      `
      (if (v128.any_true (v128.or
        (v128.or (v128.load ${get('target')}) (v128.load offset=16 ${get('target')}))
        (v128.or (v128.load offset=32 ${get('target')}) (v128.load offset=48 ${get('target')})))) (then
        ${repeat(
          4,
          (k) => `
          (local.set $value (f64x2.div (v128.load offset=${16 * k} ${get('target')}) ${get('by')}))
          (local.set $taint (f64x2.add ${get('taint')} (f64x2.sub ${get('value')} ${get('value')})))
          (v128.store offset=${16 * k} ${get('target')} ${get('value')})`,
        )}))`,
      'next_eight',
    )}
    ${pairs(
      (value, store) => `
      (local.set $value (f64x2.div ${value} ${splat('divisor')}))
      (local.set $taint (f64x2.add ${get('taint')} (f64x2.sub ${get('value')} ${get('value')})))
      ${store(get('value'))}`,
    )}
    (i32.and
      (f64.eq (f64x2.extract_lane 0 ${get('taint')}) (f64.const 0))
      (f64.eq (f64x2.extract_lane 1 ${get('taint')}) (f64.const 0))))`;

/** Entries from which a vector is read at four places: reading ahead stops at the end of each page. */
const LONG = 16_384;
/** Sets $quarter, in bytes: a whole number of pairs of entries; 0 for a vector that is not long. */
const setQuarter = `
  (if (i32.ge_u ${get('count')} (i32.const ${LONG})) (then
    (local.set $quarter (i32.shl (i32.and (i32.shr_u ${get('count')} (i32.const 2)) (i32.const -2)) (i32.const 3)))))`;
/** The address of the k-th place: `name` and k quarters. */
const placed = (name, k) => (k === 0 ? get(name) : `(i32.add ${placed(name, k - 1)} ${get('quarter')})`);

/** target[j] += scale * source[j], the product rounded first. */
const addScaled = `
  (func (export "addScaled") (param $target i32) (param $count i32) (param $scale f64) (param $source i32)
    ${locals('i32', 'end', 'whole', 'ahead', 'quarter')}
    (local.set $ahead (i32.sub ${get('source')} ${get('target')}))
    ${setQuarter}
    (if ${get('quarter')} (then
      (local.set $end (i32.add ${get('target')} ${get('quarter')}))
      ${loopBelow(
        'target',
        get('end'),
        16,
        repeat(
          4,
          (k) => `(v128.store ${placed('target', k)} (f64x2.add (v128.load ${placed('target', k)})
            (f64x2.mul ${splat('scale')} (v128.load (i32.add ${placed('target', k)} ${get('ahead')})))))`,
        ),
        'next_of_four',
      )}
      (local.set $target (i32.add ${get('target')} (i32.mul ${get('quarter')} (i32.const 3))))
      (local.set $count (i32.sub ${get('count')} (i32.shr_u ${get('quarter')} (i32.const 1))))))
    ${eights((value, store) => {
      const source = value.replace(get('target'), `(i32.add ${get('target')} ${get('ahead')})`);
      return store(`(f64x2.add ${value} (f64x2.mul ${splat('scale')} ${source}))`);
    })})`;

/**
 * Rounds to multiples of a grid, as core's public grid: target[j] + middle - middle where |target[j]| < near.
 * 0 if another entry was met; those are left as they are. Eight entries that are all near need no choice.
 */
const near = (value) => `(f64x2.lt (f64x2.abs ${value}) ${splat('near')})`;
const moved = (value) => `(f64x2.sub (f64x2.add ${value} ${splat('middle')}) ${splat('middle')})`;
const roundOrLeave = (value, store) => `
      (local.set $value ${value})
      (local.set $isNear ${near(get('value'))})
      (local.set $all (v128.and ${get('all')} ${get('isNear')}))
      ${store(`(v128.bitselect ${moved(get('value'))} ${get('value')} ${get('isNear')})`)}`;
const fourAt = (template) =>
  repeat(4, (k) =>
    template(
      k,
      `(v128.load offset=${16 * k} ${get('target')})`,
      (value) => `(v128.store offset=${16 * k} ${get('target')} ${value})`,
    ),
  );
const roundToGrid = `
  (func (export "roundNear") (param $target i32) (param $count i32) (param $middle f64) (param $near f64) (result i32)
    ${locals('i32', 'end', 'whole')} ${locals('v128', 'value', 'isNear', 'all')} ${numbered('v128', 'value', 4)}
    (local.set $all (v128.const i64x2 -1 -1))
    (local.set $whole (i32.add ${get('target')} (i32.shl (i32.and ${get('count')} (i32.const -8)) (i32.const 3))))
    (local.set $count (i32.and ${get('count')} (i32.const 7)))
    ${loopBelow(
      'target',
      get('whole'),
      64,
      `
      ${fourAt((k, load) => `(local.set $value${k} ${load})`)}
      (if (i64x2.all_true (v128.and
          (v128.and ${near(get('value0'))} ${near(get('value1'))})
          (v128.and ${near(get('value2'))} ${near(get('value3'))})))
        (then ${fourAt((k, _, store) => store(moved(get(`value${k}`))))})
        (else ${fourAt((_, load, store) => roundOrLeave(load, store))}))`,
      'next_eight',
    )}
    ${pairs(roundOrLeave)}
    (i64x2.all_true ${get('all')}))`;

/** 1 if all entries are finite. Four taints, since one would wait for itself. */
const allFinite = `
  (func (export "allFinite") (param $source i32) (param $count i32) (result i32)
    ${locals('i32', 'end', 'whole', 'quarter')} ${numbered('v128', 'taint', 4)} (local $value v128)
    ${setQuarter}
    (if ${get('quarter')} (then
      (local.set $end (i32.add ${get('source')} ${get('quarter')}))
      ${loopBelow(
        'source',
        get('end'),
        16,
        repeat(
          4,
          (k) => `
          (local.set $value (v128.load ${placed('source', k)}))
          (local.set $taint${k} (f64x2.add ${get(`taint${k}`)} (f64x2.sub ${get('value')} ${get('value')})))`,
        ),
        'next_of_four',
      )}
      (local.set $source (i32.add ${get('source')} (i32.mul ${get('quarter')} (i32.const 3))))
      (local.set $count (i32.sub ${get('count')} (i32.shr_u ${get('quarter')} (i32.const 1))))))
    (local.set $end (i32.add ${get('source')} (i32.shl ${get('count')} (i32.const 3))))
    (local.set $whole (i32.add ${get('source')} (i32.shl (i32.and ${get('count')} (i32.const -8)) (i32.const 3))))
    ${loopBelow(
      'source',
      get('whole'),
      64,
      repeat(
        4,
        (k) => `
        (local.set $value (v128.load offset=${16 * k} ${get('source')}))
        (local.set $taint${k} (f64x2.add ${get(`taint${k}`)} (f64x2.sub ${get('value')} ${get('value')})))`,
      ),
    )}
    ${loopBelow(
      'source',
      get('end'),
      8,
      `
      (local.set $value (v128.load64_zero ${get('source')}))
      (local.set $taint0 (f64x2.add ${get('taint0')} (f64x2.sub ${get('value')} ${get('value')})))`,
      'next_single',
    )}
    (i64x2.all_true (f64x2.eq ${zero} (f64x2.add
      (f64x2.add ${get('taint0')} ${get('taint1')}) (f64x2.add ${get('taint2')} ${get('taint3')})))))`;

/** Arithmetic on every entry of a vector. */
export const elementKernels = [divide, addScaled, roundToGrid, allFinite].join('\n');
