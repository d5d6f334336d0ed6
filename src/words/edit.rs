//! Whether two words lie one edit apart.

/// Whether exactly one insertion, deletion, substitution or swap of neighbours turns `a` into `b`.
/// Equal words are not one edit apart. Compares characters; allocates nothing.
pub(crate) fn is_one_edit(a: &str, b: &str) -> bool {
    let mut left = a.chars();
    let mut right = b.chars();
    loop {
        // What is left from the first difference on.
        let (rest_a, rest_b) = (left.as_str(), right.as_str());
        match (left.next(), right.next()) {
            (None, None) => return false,
            (Some(x), Some(y)) if x == y => {}
            (Some(x), Some(y)) => {
                let (after_a, after_b) = (left.as_str(), right.as_str());
                let is_swap = left.next() == Some(y)
                    && right.next() == Some(x)
                    && left.as_str() == right.as_str();
                return after_a == after_b || after_a == rest_b || rest_a == after_b || is_swap;
            }
            (Some(_), None) => return left.as_str().is_empty(),
            (None, Some(_)) => return right.as_str().is_empty(),
        }
    }
}
