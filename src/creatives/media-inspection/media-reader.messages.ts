import type { ImageFacts } from './image-probe.js';
import type { Size } from './image-format.rules.js';
import type { MediaKind } from './media-kind.js';
import type { TopLevelBox } from './video-layout.rules.js';

/** What a video turns out to be, before it is judged. */
export interface VideoFacts {
  /** As it is shown: turned, with square pixels. */
  width: number;
  height: number;
  /** In seconds; that of the track that shows something. */
  duration: number;
  /** undefined where nobody knows it. */
  codec?: string;
  boxes: TopLevelBox[];
}

/** What the process that reads media can be asked for, and what each answers. */
export interface Readings {
  image: { task: { size: number; kind: MediaKind }; found: ImageFacts };
  video: { task: { size: number }; found: VideoFacts };
  /** An image, as a JPEG of this size. */
  frame: { task: Size & { bytes: number }; found: Uint8Array };
  /** A JPEG of this size that shows nothing. */
  neutral: { task: Size; found: Uint8Array };
}

export type Task = { [K in keyof Readings]: { what: K } & Readings[K]['task'] }[keyof Readings];

/** Messages to the process that reads media. */
export type ToReader = { kind: 'read'; task: Task } | { kind: 'bytes'; id: number; bytes?: Uint8Array };

/** Messages from it. */
export type FromReader =
  | { kind: 'range'; id: number; start: number; end: number }
  | { kind: 'found'; found: unknown }
  /** `why` is a message for the client. */
  | { kind: 'refused'; why: string };
