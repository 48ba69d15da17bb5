//! Student's t distribution: how far the mean of few values may be from the truth, when their spread is not known either.

/// Two-sided 95 % quantile of the normal distribution.
pub(crate) const Z95: f64 = 1.959_963_984_540_054;

/// Two-sided 95 % quantiles of Student's t distribution with 1 to 4 degrees of freedom, for which the expansion of [`student95`] is
/// too small.
const FEW_DEGREES: [f64; 4] = [12.706_205, 4.302_653, 3.182_446, 2.776_445];

/// Two-sided 95 % quantile of Student's t distribution, beyond the first few degrees of freedom (at least one) by its expansion (26.7.5
/// in Abramowitz and Stegun's handbook), whose five terms are 0.01 % too small at most: the spread of few results is hardly known.
pub(crate) fn student95(degrees: u64) -> f64 {
    let few = usize::try_from(degrees).ok().and_then(|degrees| FEW_DEGREES.get(degrees.checked_sub(1)?));
    few.copied().unwrap_or_else(|| {
        let [z, z3, z5, z7, z9] = [1, 3, 5, 7, 9].map(|power| Z95.powi(power));
        let terms = [
            z,
            (z3 + z) / 4.0,
            (5.0 * z5 + 16.0 * z3 + 3.0 * z) / 96.0,
            (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * z) / 384.0,
            (79.0 * z9 + 776.0 * z7 + 1482.0 * z5 - 1920.0 * z3 - 945.0 * z) / 92_160.0,
        ];
        terms.iter().rev().fold(0.0, |sum, term| sum / degrees as f64 + term)
    })
}

/// Distribution function of Student's t distribution with so many degrees of freedom, at least one, by its finite sums (26.7.3 and
/// 26.7.4 of Abramowitz and Stegun's handbook).
#[cfg(any(feature = "tools", test))]
pub(crate) fn student_cdf(t: f64, degrees: u64) -> f64 {
    let angle = (t / (degrees as f64).sqrt()).atan();
    let (sin, cos) = angle.sin_cos();
    let is_even = degrees.is_multiple_of(2);
    // a term for each number below `degrees` that is odd where it is even, and even where it is odd; they get small before they get many
    let (mut n, mut term) = if is_even { (1, sin) } else { (2, sin * cos) };
    let mut sum = 0.0;
    while n < degrees && term.abs() > 1e-18 {
        sum += term;
        term *= cos * cos * n as f64 / (n + 1) as f64;
        n += 2;
    }
    let within = if is_even { sum } else { std::f64::consts::FRAC_2_PI * (angle + sum) };
    (1.0 + within) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_students_distribution() {
        for (degrees, table) in [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (5, 2.571), (10, 2.228), (30, 2.042)]
        {
            let found = student95(degrees);
            assert!((found / table - 1.0).abs() < 0.0005, "{degrees}: {found}");
        }
        // where the expansion begins it is as good as farther on
        for (degrees, quantile) in [(5, 2.570_582), (6, 2.446_912), (10, 2.228_139), (100, 1.983_972)] {
            assert!((student95(degrees) / quantile - 1.0).abs() < 2e-4, "{degrees}");
        }
    }

    #[test]
    fn students_distribution_at_known_points() {
        // one degree: Cauchy's; two: 1/2 + t / sqrt(8 + 4 t^2); three: 2.353 leaves a twentieth
        for (t, degrees, p) in [(1.0, 1, 0.75), (-1.0, 1, 0.25), (1.0, 2, 0.788_675_135), (2.353_363, 3, 0.95)] {
            assert!((student_cdf(t, degrees) - p).abs() < 1e-7, "{t}, {degrees}: {}", student_cdf(t, degrees));
        }
        for degrees in (1..40).chain([99, 100, 1001, 100_000]) {
            assert!((student_cdf(0.0, degrees) - 0.5).abs() < 1e-12);
            let found = student_cdf(student95(degrees), degrees);
            assert!((found - 0.975).abs() < 1e-5, "{degrees}: {found}");
            assert!((student_cdf(-1.5, degrees) + student_cdf(1.5, degrees) - 1.0).abs() < 1e-12);
        }
        // many degrees: the normal distribution
        for (x, p) in [(1.0, 0.841_344_746), (-2.326_348, 0.01), (4.0, 0.999_968_3)] {
            assert!((student_cdf(x, 1_000_000) - p).abs() < 1e-6, "{x}");
        }
    }
}
