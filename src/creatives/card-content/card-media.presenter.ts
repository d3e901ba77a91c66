import { videoRatio } from '../aspect-ratio.js';
import type { ShownMedia } from './component.presenter.js';

/** Width and height of an image, in pixels and as texts. */
export const presentImage = ({ medium, url }: ShownMedia) => ({
  media_url: url,
  image_display_width: String(medium.width),
  image_display_height: String(medium.height),
});

/** Of a video, its ratio, as texts. */
export function videoSize({ medium }: ShownMedia) {
  const { width, height } = videoRatio(medium);
  return { video_width: String(width), video_height: String(height) };
}
