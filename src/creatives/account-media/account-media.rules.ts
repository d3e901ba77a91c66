import type { MediaCategory } from '../entities/media.entity.js';
import type { CreativeType } from './account-media.entity.js';

/** What images of exactly these sizes are shown as. */
const SIZES: Record<string, CreativeType> = {
  '320x50': 'BANNER',
  '728x90': 'BANNER_TABLET',
  '320x480': 'INTERSTITIAL',
  '480x320': 'INTERSTITIAL_LANDSCAPE',
  '1024x768': 'INTERSTITIAL_LANDSCAPE_TABLET',
  '768x1024': 'INTERSTITIAL_TABLET',
  '300x250': 'MEDIUM_RECTANGLE',
};

/** As what a medium that joins a library is an advertisement by itself; undefined where it is none. */
export function creativeTypeOf(category: MediaCategory, width: number, height: number): CreativeType | undefined {
  if (category === 'AMPLIFY_VIDEO') return 'PREROLL';
  return category === 'POST_IMAGE' ? SIZES[`${width}x${height}`] : undefined;
}
