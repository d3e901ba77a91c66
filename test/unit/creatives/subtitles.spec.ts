import fc from 'fast-check';
import { webVttOf } from '../../../src/creatives/media-files/web-vtt.rules.js';
import { endOfSubtitles } from '../../../src/creatives/media-inspection/subtitles.rules.js';
import { mediaKindOf } from '../../../src/creatives/media-inspection/media-kind.js';

describe('SRT as WebVTT', () => {
  it.each([
    [
      '\uFEFF1\r\n00:00:01,000 --> 00:00:04,500\r\nHello\r\nyou\r\n\r\n\r\n2\r\n00:00:05.000 --> 01:00:06.500 X1:40 Y2:9\r\nAgain',
      'WEBVTT\n\n00:00:01.000 --> 00:00:04.500\nHello\nyou\n\n00:00:05.000 --> 01:00:06.500\nAgain\n',
    ],
    [
      '1\n00:00:01,000 --> 00:00:02,500\n{\\an8}\nHello\n<font color="red">\n</font>\ntop\n\n2\n00:00:03,000 --> 00:00:04,000\nNext',
      'WEBVTT\n\n00:00:01.000 --> 00:00:02.500\nHello\ntop\n\n00:00:03.000 --> 00:00:04.000\nNext\n',
    ],
    [
      '00:01,000 --> 00:02,000\n<B>Tom & "Jerry"</b>: 1 < 2 --> {\\an8}<font color="#fff">yes</font> {no} <v x>',
      'WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n<b>Tom &amp; "Jerry"</b>: 1 &lt; 2 --&gt; yes {no} &lt;v x&gt;\n',
    ],
  ])('has its cues and its text: %j', (srt, expected) => {
    expect(webVttOf(srt)).toBe(expected);
    expect(end(expected)).toBe(end(srt));
  });

  it('takes as long for markup without an end', () => {
    const text = `1\n00:00:01,000 --> 00:00:04,000\n${'{\\'.repeat(250_000)}${'<font '.repeat(80_000)}`;
    expect(webVttOf(text)).toContain('{\\{\\');
  });
});

const end = (text: string | Buffer) => endOfSubtitles(Buffer.from(text));

describe('subtitles', () => {
  it.each([
    ['1\n00:00:01,000 --> 00:00:04,000\nHello\n\n2\n00:00:05,000 --> 00:00:06,500\nAgain\nand again', 6_500],
    ['\uFEFF1\r\n00:00:01.000 --> 01:00:04.000\r\nWith points\r\n', 3_604_000],
    ['00:00:01,000 --> 00:00:04,000\nWithout a number', 4_000],
    ['WEBVTT\n00:01.000 --> 00:04.000\nBelow the header', 4_000],
    ['WEBVTT\n\nNOTE\n00:01.000 --> 00:04.000\nBelow a note', 4_000],
    ['WEBVTT\n\n100:00:00.000 --> 100:00:01.000\nLate', 360_001_000],
    ['WEBVTT\n\n00:01.000 --> 00:04.000\nHi\n\u00a0\nthere', 4_000],
    ['WEBVTT\n\n00:01.000 --> 00:04.000 align:start\nHello', 4_000],
    [
      '\uFEFFWEBVTT A title\nKind: captions\n\nNOTE 12 --> 13\n\nSTYLE\n::cue {}\n\nintro\n01:00:01.000 --> 01:00:02.000\n<i>Hi</i>',
      3_602_000,
    ],
  ])('end where the last of them ends: %j', (text, expected) => {
    expect(end(text)).toBe(expected);
  });

  it.each([
    ['', 'SRT without a cue'],
    ['WEBVTT\n\nNOTE nothing', 'WebVTT without a cue'],
    ['Hello there', 'is not SRT: expected times such as "00:00:01,000 --> 00:00:04,000" in line 1, got "Hello there"'],
    ['1\n\n00:00:01,000 --> 00:00:04,000\nHello', 'in line 1, got "1"'],
    ['1\n00:00:04,000 --> 00:00:01,000\nHello', 'the cue in line 2 does not end after it begins'],
    ['1\n00:00:01,000 --> 00:00:01,000\nHello', 'does not end after it begins'],
    ['WEBVTT\n00:04.000 --> 00:01.000\nBelow the header', 'the cue in line 2 does not end after it begins'],
    ['WEBVTT\u00a0x\n\n00:01.000 --> 00:04.000\nHello', 'is not SRT'],
    ['WEBVTT\n\n\u00a000:01.000 --> 00:04.000\nHello', 'is not WebVTT'],
    ['WEBVTT\n\n00:01.000 --> 00:04.000\nHi --> there', 'the text in line 4 has "-->", which ends a cue'],
    ['WEBVTT\n\n00:00.000 --> 999:00:00.000\nLate', 'the cue in line 3 does not end within 500 hours'],
    [`WEBVTT\n\n00:00.000 --> ${'9'.repeat(400)}:00:00.000\nLate`, 'does not end within 500 hours'],
    ['1\n00:00:01,000 --> 00:61:04,000\nHello', 'in line 2'],
    ['1\n0:00:01,000 --> 0:00:04,000\nHello', 'in line 2'],
    ['WEBVTT\n\n00:01,000 --> 00:04,000\nA comma', 'is not WebVTT'],
    ['WEBVTTX\n\n00:01.000 --> 00:04.000\nHello', 'is not SRT'],
    [Buffer.from('1\n00:00:01,000 --> 00:00:04,000\nHello', 'utf16le'), 'UTF-8'],
    [Buffer.from([0xc3, 0x28]), 'UTF-8'],
    ['1\n00:00:01,000 --> 00:00:04,000\nHel\0lo', 'UTF-8'],
  ])('are none: %j', (text, problem) => {
    expect(() => end(text)).toThrow(problem);
  });

  it('are read or rejected, whatever they are', () => {
    const line = fc.constantFrom('1', '', '00:00:01,000 --> 00:00:04,000', 'WEBVTT', '00:01.000 --> 00:04.000', 'NOTE');
    fc.assert(
      fc.property(fc.array(fc.oneof(line, fc.string()), { maxLength: 20 }), (lines) => {
        try {
          expect(end(lines.join('\n'))).toBeGreaterThan(0);
        } catch (error) {
          expect((error as Error).message).toMatch(/^media is /);
        }
      }),
    );
  });

  it('are known by the category of their upload', async () => {
    const vtt = Buffer.from('WEBVTT\n\n00:01.000 --> 00:04.000\nHello');
    expect(await mediaKindOf(vtt, 'SUBTITLES')).toMatchObject({ contentType: 'text/vtt', ending: 'vtt' });
    expect(await mediaKindOf(Buffer.from('1'), 'SUBTITLES')).toMatchObject({ contentType: 'text/srt', ending: 'srt' });
    await expect(mediaKindOf(vtt, null)).rejects.toThrow('with media_category subtitles');
  });
});
