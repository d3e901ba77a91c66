/** What a video turns out to be, before it is judged. */
export interface VideoFacts {
  /** As it is shown: turned, with square pixels. */
  width: number;
  height: number;
  /** In seconds; that of the track that shows something. */
  duration: number;
  /** undefined where nobody knows it. */
  codec?: string;
}

/** What the thread that reads videos is told. */
export type ToReader = { kind: 'look'; size: number } | { kind: 'bytes'; id: number; bytes?: Uint8Array };

/** What it tells. */
export type FromReader =
  | { kind: 'read'; id: number; start: number; end: number }
  | { kind: 'found'; facts: VideoFacts }
  | { kind: 'refused'; why: string };
