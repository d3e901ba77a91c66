import { Injectable } from '@nestjs/common';
import type { AccountReader } from '../../accounts/access/acting-account.js';
import type { ProductsOfPost } from './previewed-product.js';

type Finder = (account: AccountReader, viewerId: string, postId: string, limit: number) => Promise<ProductsOfPost>;

/** Asks the domain of line items, which is above this one, for the products of posts. */
@Injectable()
export class PreviewedProducts {
  private find?: Finder;

  register(find: Finder): void {
    this.find = find;
  }

  async of(account: AccountReader, viewerId: string, postId: string, limit: number): Promise<ProductsOfPost> {
    return (await this.find?.(account, viewerId, postId, limit)) ?? 'not promoted';
  }
}
