import { isUtf8 } from 'node:buffer';
import { HOUR_MS } from '../../common/time/days.js';
import { invalidFile } from './upload-errors.js';

interface Format {
  name: string;
  span: RegExp;
  example: string;
}

/** Some writers of SRT separate milliseconds with a point. */
const SRT: Format = {
  name: 'SRT',
  span: /^\s*(?:(\d{2}):)?([0-5]\d):([0-5]\d)[,.](\d{3})[ \t]+-->[ \t]+(?:(\d{2}):)?([0-5]\d):([0-5]\d)[,.](\d{3})(?:[ \t]|$)/,
  example: '00:00:01,000 --> 00:00:04,000',
};
const VTT: Format = {
  name: 'WebVTT',
  span: /^[ \t\f]*(?:(\d{2,}):)?([0-5]\d):([0-5]\d)\.(\d{3})[ \t]+-->[ \t]+(?:(\d{2,}):)?([0-5]\d):([0-5]\d)\.(\d{3})(?:[ \t]|$)/,
  example: '00:01.000 --> 00:04.000',
};

const SIGNATURE = /^\uFEFF?WEBVTT(?=[ \t\r\n]|$)/;
/** Blocks of WebVTT that are not cues. */
const NO_CUE = /^(?:NOTE|STYLE|REGION)(?:\s|$)/;
/** Between the times of a cue. */
const ARROW = '-->';
/** When the last cue ends at the latest: in milliseconds, what the store holds. */
const MAX_HOURS = 500;
/** Maximum length of a line in an error. */
const SHOWN = 60;

/** True if the text is WebVTT by its first line; it is SRT otherwise. */
export const isWebVtt = (text: string): boolean => SIGNATURE.test(text);

/** Reads subtitles and returns when the last one ends, in milliseconds; rejects what is neither SRT nor WebVTT. */
export function endOfSubtitles(bytes: Buffer): number {
  if (!isUtf8(bytes) || bytes.includes(0)) throw invalidFile('is not text in UTF-8, which subtitles must be');
  const text = bytes.toString('utf8');
  const format = isWebVtt(text) ? VTT : SRT;
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
  let end = 0;
  for (const { block, first } of blocksOf(lines, format)) {
    // browsers begin a cue at the times that follow a header or a note without a blank line
    const from = format === VTT && first === 0 ? block.findIndex((line) => line.includes(ARROW)) : 0;
    if (from < 0 || (format === VTT && NO_CUE.test(block[0]) && !block[1]?.includes(ARROW))) continue;
    end = Math.max(end, endOfCue(block.slice(from), first + from, format));
  }
  if (end === 0) throw invalidFile(`is ${format.name} without a cue such as ${format.example}`);
  return end;
}

/** The runs of lines that are not blank, with the index of their first line. Spaces are blank in SRT only. */
function* blocksOf(lines: readonly string[], format: Format): Generator<{ block: string[]; first: number }> {
  let block: string[] = [];
  for (const [i, line] of [...lines, ''].entries()) {
    if ((format === SRT ? line.trim() : line) !== '') {
      block.push(line);
    } else if (block.length > 0) {
      yield { block, first: i - block.length };
      block = [];
    }
  }
}

/** A cue is an optional number or name, its times, and its text. */
function endOfCue(block: string[], first: number, { name, span, example }: Format): number {
  const at = block[0].includes(ARROW) ? 0 : 1;
  const line = block[at] ?? block[0];
  const place = `in line ${first + Math.min(at, block.length - 1) + 1}`;
  const times = span.exec(line);
  if (!times)
    throw invalidFile(`is not ${name}: expected times such as "${example}" ${place}, got "${line.slice(0, SHOWN)}"`);
  const [start, end] = [milliseconds(times.slice(1, 5)), milliseconds(times.slice(5, 9))];
  if (end <= start) throw invalidFile(`is not ${name}: the cue ${place} does not end after it begins`);
  if (end > MAX_HOURS * HOUR_MS)
    throw invalidFile(`is not ${name}: the cue ${place} does not end within ${MAX_HOURS} hours`);
  const cut = name === VTT.name ? block.findIndex((text, i) => i > at && text.includes(ARROW)) : -1;
  if (cut >= 0)
    throw invalidFile(`is not ${name}: the text in line ${first + cut + 1} has "${ARROW}", which ends a cue`);
  return end;
}

const milliseconds = ([hours = '0', minutes, seconds, fraction]: (string | undefined)[]): number =>
  ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000 + Number(fraction);
