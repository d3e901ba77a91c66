import { videoRatio } from '../aspect-ratio.js';
import type { ShownMedia } from './component.presenter.js';

/** Width and height of an image in pixels, as strings. */
export const presentImage = ({ medium, url }: ShownMedia) => ({
  media_url: url,
  image_display_width: String(medium.width),
  image_display_height: String(medium.height),
});

/** Aspect ratio of a video: width and height, as strings. */
export function videoSize({ medium }: ShownMedia) {
  const { width, height } = videoRatio(medium);
  return { video_width: String(width), video_height: String(height) };
}
