import type { MediaCategory } from '../entities/media.entity.js';
import type { CreativeType } from './account-media.entity.js';

/** Creative types of images with exactly these sizes. */
const SIZES: Record<string, CreativeType> = {
  '320x50': 'BANNER',
  '728x90': 'BANNER_TABLET',
  '320x480': 'INTERSTITIAL',
  '480x320': 'INTERSTITIAL_LANDSCAPE',
  '1024x768': 'INTERSTITIAL_LANDSCAPE_TABLET',
  '768x1024': 'INTERSTITIAL_TABLET',
  '300x250': 'MEDIUM_RECTANGLE',
};

/** The creative type of a media item that joins a library; undefined if it is not an advertisement on its own. */
export function creativeTypeOf(category: MediaCategory, width: number, height: number): CreativeType | undefined {
  if (category === 'AMPLIFY_VIDEO') return 'PREROLL';
  return category === 'POST_IMAGE' ? SIZES[`${width}x${height}`] : undefined;
}
