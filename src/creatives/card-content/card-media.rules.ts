import type { Row } from '../../common/db/query/rows.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { hasRatio, type AspectRatio } from '../aspect-ratio.js';
import { invalidMedia, unknownMedia } from '../creatives.errors.js';
import type { LibraryMedia } from '../entities/library-media.entity.js';
import type { MediaType } from '../entities/media.entity.js';

type Medium = Pick<Row<LibraryMedia>, 'mediaType' | 'contentType' | 'width' | 'height' | 'size'>;
/** The library media that a card references, by key. */
export type Library = ReadonlyMap<string, Medium>;

/** Context of the card rules: the account, and the card's media that are in the library. */
export interface CardContext<A extends { id: string } = { id: string }> {
  account: A;
  library: Library;
  /** The lead forms of the account that the card leads to, without archived ones. */
  forms?: ReadonlySet<string>;
}

/** Requirements on a media item in one place of a card. */
export interface MediaNeed {
  /** Allowed types with their allowed ratios; an empty list allows every ratio. */
  types: Partial<Record<MediaType, readonly AspectRatio[]>>;
  /** Minimum width of an image in pixels. */
  minWidth?: number;
}

const WIDE_ENOUGH = 800;
/** Maximum size of an image in a card. */
const MAX_IMAGE_BYTES = 3 * 1024 * 1024;
const IMAGES = ['image/bmp', 'image/jpeg', 'image/png'];

const IMAGE_TYPES = { IMAGE: [] } as const;

/** Requirements on media by their place in a card. */
export const MEDIA_NEEDS = {
  COMPONENT: { types: { IMAGE: ['1:1', '1.91:1'], VIDEO: ['16:9', '1:1'] }, minWidth: WIDE_ENOUGH },
  CONVERSATION_IMAGE: { types: { IMAGE: ['1.91:1'] }, minWidth: WIDE_ENOUGH },
  CONVERSATION_VIDEO: { types: { VIDEO: ['16:9'] } },
  POSTER: { types: IMAGE_TYPES },
  UNLOCKED_IMAGE: { types: { IMAGE: ['5:2'] }, minWidth: WIDE_ENOUGH },
  UNLOCKED_VIDEO: { types: { VIDEO: [] } },
  POLL: { types: { IMAGE: ['1.91:1'], VIDEO: ['16:9'] }, minWidth: WIDE_ENOUGH },
} as const satisfies Record<string, MediaNeed>;

/** A media item and its place in a card. */
export interface NamedMedia {
  /** The parameter, or the path inside it. */
  parameter: string;
  mediaKey: string;
  need: MediaNeed;
}

/** Problems of a card's media: missing from the library, or not matching the requirements of their place. */
export const mediaProblems = (account: { id: string }, named: readonly NamedMedia[], library: Library): ApiError[] =>
  named.flatMap(({ parameter, mediaKey, need }) => {
    const medium = library.get(mediaKey);
    if (!medium) return [unknownMedia(parameter, mediaKey, account.id)];
    return faultsOf(medium, need).map(({ is, details }) =>
      invalidMedia(parameter, `Media ${mediaKey} ${is}`, mediaKey, details),
    );
  });

interface Fault {
  is: string;
  details: string;
}

function faultsOf(medium: Medium, { types, minWidth = 0 }: MediaNeed): Fault[] {
  const { mediaType, contentType, width, height, size } = medium;
  const ratios = types[mediaType];
  if (!ratios) {
    const taken = Object.keys(types).join(' or ');
    return [{ is: `is of type ${mediaType}, not ${taken}`, details: `Expected media of type ${taken}` }];
  }
  const isImage = mediaType === 'IMAGE';
  const faults: Fault[] = [];
  if (isImage && !IMAGES.includes(contentType))
    faults.push({ is: `is ${contentType}`, details: `Expected ${IMAGES.join(', ')}` });
  if (isImage && width < minWidth)
    faults.push({ is: `is ${width} pixels wide`, details: `Expected a width of at least ${minWidth} pixels` });
  if (ratios.length > 0 && !ratios.some((ratio) => hasRatio({ width, height }, ratio)))
    faults.push({
      is: `is ${width} x ${height} pixels`,
      details: `Expected an aspect ratio of ${ratios.join(' or ')}`,
    });
  if (isImage && size > MAX_IMAGE_BYTES)
    faults.push({ is: `has ${size} bytes`, details: `Expected at most ${MAX_IMAGE_BYTES} bytes` });
  return faults;
}
