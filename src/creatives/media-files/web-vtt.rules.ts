/** The times of a cue of SRT, which follow its number, if it has one. */
const TIMES = /^\s*(?:(\d{2}):)?(\d{2}):(\d{2})[,.](\d{3})[ \t]+-->[ \t]+(?:(\d{2}):)?(\d{2}):(\d{2})[,.](\d{3})/;

/**
 * SRT that an upload accepted as WebVTT, which is the only format that browsers show. Bold, italic and underlined text
 * stays; positions and other markup, which WebVTT does not have, are left out. A line of nothing else is left out, too: a blank
 * line would end the cue.
 */
export function webVttOf(srt: string): string {
  const lines: string[] = [];
  let isText = false;
  for (const line of srt.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)) {
    const times = isText ? undefined : TIMES.exec(line)?.slice(1);
    if (line.trim() === '') isText = false;
    else if (isText) lines.push(...[cueText(line)].filter((text) => text.trim() !== ''));
    else if (times) {
      isText = true;
      lines.push('', `${timestamp(times.slice(0, 4))} --> ${timestamp(times.slice(4))}`);
    }
  }
  return ['WEBVTT', ...lines, ''].join('\n');
}

const timestamp = ([hours = '00', minutes, seconds, fraction]: (string | undefined)[]): string =>
  `${hours}:${minutes}:${seconds}.${fraction}`;

/** Markup that both formats have. */
const KEPT = /^<\/?[biu]>$/i;
const MARKUP = /<\/?(?:[biu]|font(?:\s[^<>]*)?)>|\{\\[^{}]*\}/gi;

function cueText(line: string): string {
  const markup = [...line.matchAll(MARKUP)].map(([tag]) => (KEPT.test(tag) ? tag.toLowerCase() : ''));
  return line
    .split(MARKUP)
    .map((text, i) => escaped(text) + (markup[i] ?? ''))
    .join('');
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
