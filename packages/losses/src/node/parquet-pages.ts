import type { ColumnMetaData } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { parquetHeader } from 'hyparquet/src/column.js';
import { decompressPage } from 'hyparquet/src/datapage.js';
import { checkRuns } from './parquet-runs.js';

/** Metadata of a flat column chunk. */
export interface ChunkClaim {
  readonly metadata: ColumnMetaData;
  readonly isOptional: boolean;
  readonly rows: number;
}

type Header = ReturnType<typeof parquetHeader>;

/** One data page, the same in both versions of the format: its optional levels and its values. */
interface DataPage {
  readonly encoding: string;
  readonly values: number;
  readonly levels: Uint8Array | undefined;
  readonly body: Uint8Array;
}

/**
 * Decompresses the pages of a chunk and checks every length that the decoder believes: a damaged one would
 * keep it busy, or fill the memory, for hours.
 *
 * @returns the decompressed pages by the position of their compressed bytes.
 * @throws {RangeError} for lengths that do not fit, and what decompression throws.
 */
export function openPages(chunk: ArrayBuffer, claim: ChunkClaim): Map<number, Uint8Array> {
  const pages = new Map<number, Uint8Array>();
  const reader = { view: new DataView(chunk), offset: 0 };
  let left = claim.rows;
  while (left > 0 && reader.offset < chunk.byteLength - 1) {
    const header = parquetHeader(reader);
    const { compressed_page_size: size } = header;
    check(
      size >= 0 && reader.offset + size <= chunk.byteLength && header.uncompressed_page_size >= 0,
      'a page larger than its column',
    );
    const bytes = new Uint8Array(chunk, reader.offset, size);
    reader.offset += size;
    const open = (part: Uint8Array, length: number): Uint8Array => {
      const page = decompressPage(part, length, claim.metadata.codec, compressors);
      pages.set(part.byteOffset, page);
      return page;
    };
    if (header.dictionary_page_header === undefined)
      left -= checkPage(dataPage(header, bytes, open, claim), left);
    else
      check(
        header.dictionary_page_header.num_values <= 8 * open(bytes, header.uncompressed_page_size).length,
        'a dictionary larger than its page',
      );
  }
  check(left === 0, 'a column that ends early');
  return pages;
}

function dataPage(
  header: Header,
  bytes: Uint8Array,
  open: (part: Uint8Array, length: number) => Uint8Array,
  { isOptional }: ChunkClaim,
): DataPage {
  const { data_page_header: v1, data_page_header_v2: v2, uncompressed_page_size: size } = header;
  if (v1 !== undefined) {
    const page = open(bytes, size);
    const length = isOptional
      ? new DataView(page.buffer, page.byteOffset, page.length).getUint32(0, true)
      : 0;
    const start = isOptional ? 4 + length : 0;
    check(start <= page.length, 'levels larger than their page');
    return {
      encoding: v1.encoding,
      values: v1.num_values,
      levels: isOptional ? page.subarray(4, start) : undefined,
      body: page.subarray(start),
    };
  }
  if (v2 === undefined) throw new RangeError('a page of an unknown kind');
  const { definition_levels_byte_length: length, repetition_levels_byte_length: other } = v2;
  check(
    other === 0 && length >= 0 && length <= Math.min(bytes.length, size) && v2.num_rows === v2.num_values,
    'levels larger than their page',
  );
  const rest = bytes.subarray(length);
  return {
    encoding: v2.encoding,
    values: v2.num_values,
    levels: isOptional ? bytes.subarray(0, length) : undefined,
    body: v2.is_compressed === false ? rest : open(rest, size - length),
  };
}

function checkPage({ encoding, values, levels, body }: DataPage, left: number): number {
  check(values >= 0 && values <= left, 'more values than rows');
  const present = levels === undefined ? values : checkRuns(levels, 1, values);
  if (encoding === 'RLE') checkRuns(body.subarray(4), 1, present);
  else if (encoding.endsWith('_DICTIONARY')) checkRuns(body.subarray(1), body[0] ?? 0, present);
  return values;
}

function check(holds: boolean, problem: string): void {
  if (!holds) throw new RangeError(problem);
}
