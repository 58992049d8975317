import { layout } from './layout.mjs';
import { f64, locals } from './wat.mjs';

/*
 * Ziggurat with 256 layers of equal area (Marsaglia and Tsang 2000). Layer i spans widths x[i] > x[i+1] and
 * heights f(x[i]) < f(x[i+1]); table entry i is the pair (2^-52 x[i], x[i+1]). One 64-bit word makes a
 * sample: bits 0 to 7 the layer, bit 8 the sign of a Laplace sample, the
 * leading bits the place in the layer (sign included for the Gaussian).
 */
const GAUSSIAN_EDGE = 3.654152885361009;
const EXPONENTIAL_EDGE = 7.69711747013105;
const { batch, heldKey, key } = layout;
const END = batch + 512;
const get = (name) => `(local.get $${name})`;

/** $hold makes the batch of that index under the key, unless the last fill has left it. */
const nextWord = `
  (global $cursor (mut i32) (i32.const 0))
  (global $batchIndex (mut i64) (i64.const 0))
  (global $isHeld (mut i32) (i32.const 0))
  (func $refill
    (global.set $batchIndex (i64.add (global.get $batchIndex) (i64.const 1)))
    (call $batch (global.get $batchIndex) (i32.const ${batch}))
    (global.set $cursor (i32.const ${batch})))
  (func $hold (param $index i64)
    ${locals('v128', 'low', 'high')}
    (local.set $low (v128.load offset=${key} (i32.const 0)))
    (local.set $high (v128.load offset=${key + 16} (i32.const 0)))
    (if (i32.and (i32.and (global.get $isHeld) (i64.eq (global.get $batchIndex) ${get('index')})) (i32.and
        (i8x16.all_true (i8x16.eq ${get('low')} (v128.load offset=${heldKey} (i32.const 0))))
        (i8x16.all_true (i8x16.eq ${get('high')} (v128.load offset=${heldKey + 16} (i32.const 0))))))
      (then (return)))
    (v128.store offset=${heldKey} (i32.const 0) ${get('low')})
    (v128.store offset=${heldKey + 16} (i32.const 0) ${get('high')})
    (global.set $batchIndex ${get('index')})
    (global.set $isHeld (i32.const 1))
    (call $batch ${get('index')} (i32.const ${batch})))
  (func $unit (result f64)
    (local $word i64)
    (if (i32.eq (global.get $cursor) (i32.const ${END})) (then (call $refill)))
    (local.set $word (i64.load (global.get $cursor)))
    (global.set $cursor (i32.add (global.get $cursor) (i32.const 8)))
    (f64.mul (f64.add (f64.convert_i64_u (i64.shr_u ${get('word')} (i64.const 12))) (f64.const 0.5)) ${f64(2 ** -52)}))`;

/** Beyond the inner edge of layer $layer: the sample, or NaN to draw afresh. */
const gaussianEdge = `
  (func $gaussianEdge (param $layer i32) (param $x f64) (result f64)
    (local $far f64) (local $height f64)
    (if (i32.eqz ${get('layer')}) (then
      (loop $again
        (local.set $far (f64.mul (call $logarithm (call $unit)) ${f64(-1 / GAUSSIAN_EDGE)}))
        (br_if $again (f64.lt (f64.mul (f64.const -2) (call $logarithm (call $unit))) (f64.mul ${get('far')} ${get('far')}))))
      (return (f64.copysign (f64.add ${f64(GAUSSIAN_EDGE)} ${get('far')}) ${get('x')}))))
    (local.set $height (f64.load offset=${layout.gaussianHeights} (i32.shl ${get('layer')} (i32.const 3))))
    (if (f64.lt
        (f64.add ${get('height')} (f64.mul (call $unit)
          (f64.sub (f64.load offset=${layout.gaussianHeights + 8} (i32.shl ${get('layer')} (i32.const 3))) ${get('height')})))
        (call $exponential (f64.mul (f64.mul ${get('x')} ${get('x')}) (f64.const -0.5))))
      (then (return ${get('x')})))
    (f64.const nan))`;

const exponentialEdge = `
  (func $exponentialEdge (param $layer i32) (param $x f64) (result f64)
    (local $height f64)
    (if (i32.eqz ${get('layer')}) (then (return (f64.sub ${f64(EXPONENTIAL_EDGE)} (call $logarithm (call $unit))))))
    (local.set $height (f64.load offset=${layout.exponentialHeights} (i32.shl ${get('layer')} (i32.const 3))))
    (if (f64.lt
        (f64.add ${get('height')} (f64.mul (call $unit)
          (f64.sub (f64.load offset=${layout.exponentialHeights + 8} (i32.shl ${get('layer')} (i32.const 3))) ${get('height')})))
        (call $exponential (f64.neg ${get('x')})))
      (then (return ${get('x')})))
    (f64.const nan))`;

/** The position of the cursor in the stream. */
const after = `(f64.add
  (f64.mul (f64.convert_i64_u (global.get $batchIndex)) (f64.const 64))
  (f64.convert_i32_u (i32.shr_u (i32.sub ${get('cursor')} (i32.const ${batch})) (i32.const 3))))`;

/**
 * Fills $target with $count samples from word $position of the stream; returns the position after the last
 * word used. As long as each word makes a sample the target lies $ahead of the cursor, and that alone moves.
 */
const fill = (name, layers, place, finish, extra = '') => `
  (func (export "${name}") (param $position f64) (param $target i32) (param $count i32) ${extra} (result f64)
    ${locals('i32', 'cursor', 'layer', 'end', 'stop', 'ahead')} ${locals('i64', 'word', 'index')} (local $x f64)
    (local.set $index (i64.trunc_sat_f64_u ${get('position')}))
    (local.set $cursor (i32.add (i32.const ${batch}) (i32.shl (i32.and (i32.wrap_i64 ${get('index')}) (i32.const 63)) (i32.const 3))))
    (local.set $end (i32.add ${get('target')} (i32.shl ${get('count')} (i32.const 3))))
    (if (i32.eqz ${get('count')}) (then (return ${get('position')})))
    (call $hold (i64.shr_u ${get('index')} (i64.const 6)))
    (loop $next
      (if (i32.eq ${get('cursor')} (i32.const ${END})) (then (call $refill) (local.set $cursor (i32.const ${batch}))))
      (local.set $ahead (i32.sub ${get('target')} ${get('cursor')}))
      (local.set $stop (i32.sub ${get('end')} ${get('ahead')}))
      (if (i32.gt_u (i32.sub ${get('end')} ${get('target')}) (i32.sub (i32.const ${END}) ${get('cursor')}))
        (then (local.set $stop (i32.const ${END}))))
      (loop $same
        (local.set $word (i64.load ${get('cursor')}))
        (local.set $layer (i32.shl (i32.and (i32.wrap_i64 ${get('word')}) (i32.const 255)) (i32.const 4)))
        (local.set $x (f64.mul (f64.add ${place} (f64.const 0.5)) (f64.load offset=${layers} ${get('layer')})))
        (if (f64.ge (f64.abs ${get('x')}) (f64.load offset=${layers + 8} ${get('layer')})) (then
          (local.set $target (i32.add ${get('cursor')} ${get('ahead')}))
          (global.set $cursor (i32.add ${get('cursor')} (i32.const 8)))
          (local.set $x (call $${name}Edge (i32.shr_u ${get('layer')} (i32.const 4)) ${get('x')}))
          (local.set $cursor (global.get $cursor))
          (br_if $next (f64.ne ${get('x')} ${get('x')}))
          (f64.store ${get('target')} ${finish})
          (br_if $next (i32.lt_u (local.tee $target (i32.add ${get('target')} (i32.const 8))) ${get('end')}))
          (return ${after})))
        (f64.store (i32.add ${get('cursor')} ${get('ahead')}) ${finish})
        (br_if $same (i32.lt_u (local.tee $cursor (i32.add ${get('cursor')} (i32.const 8))) ${get('stop')})))
      (local.set $target (i32.add ${get('cursor')} ${get('ahead')}))
      (br_if $next (i32.lt_u ${get('target')} ${get('end')})))
    ${after})`;

/** With $sign = -2^63 the samples are Laplace, with 0 exponential. */
export const zigguratKernels = [
  nextWord,
  gaussianEdge,
  exponentialEdge,
  fill(
    'gaussian',
    layout.gaussianLayers,
    `(f64.convert_i64_s (i64.shr_s ${get('word')} (i64.const 11)))`,
    get('x'),
  ),
  fill(
    'exponential',
    layout.exponentialLayers,
    `(f64.convert_i64_u (i64.shr_u ${get('word')} (i64.const 12)))`,
    `(f64.reinterpret_i64 (i64.or (i64.reinterpret_f64 ${get('x')}) (i64.and
      (i64.shl ${get('word')} (i64.const 55)) (i64.shl (i64.extend_i32_u ${get('signed')}) (i64.const 63)))))`,
    '(param $signed i32)',
  ),
].join('\n');
