/** A product as a preview shows it. */
export interface PreviewedProduct {
  title: string;
  price: string;
  link: string;
}

/**
 * The products of a post: those of the set that a line item of the account advertises. `not promoted`: no line item promotes
 * the post. `withheld`: the set is deleted, or is not one of the viewer, to whom the API does not show its products.
 */
export type ProductsOfPost = PreviewedProduct[] | 'not promoted' | 'withheld';
